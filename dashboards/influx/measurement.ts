import { fixed, type Variable } from '../parts/variables.ts';

/** The measurement of points: history or polls, as `influx.measurement` and its like name them by default. */
export const measurement = (): Variable =>
  fixed('measurement', {
    label: 'Points',
    about: 'Points of the history, or values that plantsync polled.',
    values: [
      ['history', 'runtime'],
      ['polls', 'runtime_polled'],
    ],
  });

/** The series that people chose, in InfluxQL. */
export const OF_CHOSEN = '"object" =~ /^${object:regex}$/ AND "property" =~ /^${property:regex}$/';
