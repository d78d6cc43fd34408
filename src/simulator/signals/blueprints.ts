import {
  batch,
  counter,
  date,
  faulty,
  noise,
  ramp,
  recipe,
  rhythm,
  running,
  type Shape,
  sequence,
  state,
  steps,
} from './signal-shapes.ts';

/** One kind of properties: its type, and how its values behave. */
export interface Blueprint {
  readonly name: string;
  readonly showName: string;
  readonly primitiveType: 'Double' | 'Integer' | 'Long' | 'Boolean' | 'String' | 'DateTime' | 'Object';
  readonly unit?: string;
  readonly shape: Shape;
  /**
   * `event`: at irregular times. `index`: every sample exists. Without it, samples come at a period, with
   * outages.
   */
  readonly sampling?: 'event' | 'index';
  /** Whether the platform keeps the history. The default is true. */
  readonly kept?: boolean;
}

const BEYOND_DOUBLES = 9_007_199_254_740_993n;

/** The kinds in the order in which objects take them. */
export const blueprints: readonly [Blueprint, ...Blueprint[]] = [
  { name: 'temperature', showName: '温度', primitiveType: 'Double', unit: '°C', shape: rhythm(60, 15) },
  { name: 'sequence', showName: 'Sequence', primitiveType: 'Long', shape: sequence, sampling: 'index' },
  { name: 'running', showName: '运行', primitiveType: 'Boolean', shape: running },
  { name: 'pressure', showName: 'Pressure', primitiveType: 'Double', unit: 'bar', shape: noise(6) },
  {
    name: 'energy',
    showName: '电能',
    primitiveType: 'Long',
    unit: 'Wh',
    shape: counter(5000, BEYOND_DOUBLES),
  },
  { name: 'state', showName: 'State', primitiveType: 'String', shape: state, sampling: 'event' },
  { name: 'note', showName: '', primitiveType: 'String', shape: batch, kept: false },
  { name: 'power', showName: '功率', primitiveType: 'Double', unit: 'kW', shape: rhythm(120, 80) },
  { name: 'level', showName: 'Level', primitiveType: 'Double', unit: '%', shape: ramp(100) },
  { name: 'cycles', showName: 'Cycles', primitiveType: 'Integer', shape: counter(240, 0n) },
  { name: 'Volume Flow [m³/h]', showName: '流量', primitiveType: 'Double', unit: 'm³/h', shape: noise(35) },
  { name: 'recipe', showName: '配方', primitiveType: 'Object', shape: recipe, sampling: 'event' },
  { name: 'setpoint', showName: 'Set point', primitiveType: 'Double', shape: steps(0.5), sampling: 'event' },
  { name: 'serviced', showName: '维护日期', primitiveType: 'DateTime', shape: date, sampling: 'event' },
  {
    name: 'vibration',
    showName: 'Vibration',
    primitiveType: 'Double',
    unit: 'mm/s',
    shape: faulty(noise(2)),
  },
  { name: 'batch', showName: 'Batch', primitiveType: 'String', shape: batch, sampling: 'event' },
];
