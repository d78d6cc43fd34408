import { makeInfluxSubject } from '../load/stores/influx/influx-subject.ts';
import { testApartContract, testStoreContract } from '../load/stores/store-contract.ts';
import { dropBucket, influxTwo, makeBucket } from '../support/influx/influx-two.ts';

async function makeSubject() {
  const options = await makeBucket(influxTwo());
  return makeInfluxSubject(options, () => dropBucket(influxTwo(), options.bucket));
}

testStoreContract('InfluxDB 2.x', makeSubject);
testApartContract('InfluxDB 2.x', makeSubject);
