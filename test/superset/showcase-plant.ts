import type { Simulator } from '../../src/simulator/simulator-options.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How far back the alarms of the plant reach. */
const ALARM_DAYS = 30;

type Values = (fromMs: number, toMs: number) => Generator<[number, number | string | boolean]>;

/** A number from 0 to 1 that follows from two numbers. */
function diceOf(seed: number, place: number): number {
  const mixed = Math.sin(seed * 127.1 + place * 311.7) * 43_758.5453;
  return mixed - Math.floor(mixed);
}

/** A value every so many minutes. */
function every(minutes: number, valueAt: (hours: number, place: number) => number): Values {
  return function* values(fromMs, toMs) {
    const stepMs = minutes * MINUTE_MS;
    for (let at = Math.ceil(fromMs / stepMs) * stepMs; at < toMs; at += stepMs)
      yield [at, Math.round(valueAt(at / HOUR_MS, at / stepMs) * 100) / 100];
  };
}

/** A state in each piece of time of so many minutes. It is sent when it changes. */
function statesOf(seed: number, minutes: number): Values {
  const stateAt = (piece: number) => {
    const dice = diceOf(seed, piece);
    if (dice < 0.06) return 'fault';
    return dice < 0.3 ? 'idle' : 'running';
  };
  return function* values(fromMs, toMs) {
    const stepMs = minutes * MINUTE_MS;
    for (let piece = Math.ceil(fromMs / stepMs); piece * stepMs < toMs; piece += 1)
      if (stateAt(piece) !== stateAt(piece - 1)) yield [piece * stepMs, stateAt(piece)];
  };
}

const wave = (hours: number, period: number, shift: number) =>
  Math.sin((2 * Math.PI * hours) / period + shift);

/** Adds pumps, meters and tanks with a day's rhythm, and alarms of the last weeks. */
export function fillShowcase(simulator: Simulator, nowMs: number): void {
  for (let pump = 1; pump <= 4; pump += 1)
    simulator.addObject({
      name: `pump${pump}`,
      showName: `Feed pump ${pump}`,
      templateName: 'Pump',
      properties: [
        { name: 'flow', showName: 'Flow', points: every(5, (h) => 120 + 30 * wave(h, 24, pump)) },
        { name: 'pressure', showName: 'Pressure', points: every(5, (h) => 4 + 1.2 * wave(h, 12, pump)) },
        { name: 'state', showName: 'State', primitiveType: 'String', points: statesOf(pump, 90) },
        {
          name: 'temp',
          showName: 'Bearing temperature',
          points: every(5, (h, k) => 48 + 4 * pump + 14 * wave(h, 24, 2) + 3 * diceOf(pump, k)),
        },
      ],
    });
  for (let meter = 1; meter <= 2; meter += 1)
    simulator.addObject({
      name: `meter${meter}`,
      showName: `Energy meter ${meter}`,
      templateName: 'Meter',
      properties: [
        { name: 'energy', showName: 'Energy', points: every(15, (h) => (h % 8000) * 40) },
        { name: 'power', showName: 'Power', points: every(5, (h) => 40 + 15 * wave(h, 24, meter)) },
      ],
    });
  for (let tank = 1; tank <= 3; tank += 1)
    simulator.addObject({
      name: `tank${tank}`,
      showName: `Tank ${tank}`,
      templateName: 'Tank',
      properties: [
        { name: 'level', showName: 'Level', points: every(10, (h) => 50 + 40 * wave(h, 60, tank)) },
      ],
    });
  raiseAlarms(simulator, nowMs);
}

const kinds = [
  { showName: 'Bearing overheated', property: 'temp', type: 'GT', priority: 2, everyHours: 20, minutes: 40 },
  { showName: 'Pressure low', property: 'pressure', type: 'LT', priority: 3, everyHours: 31, minutes: 25 },
  { showName: 'Flow lost', property: 'flow', type: 'LT', priority: 1, everyHours: 90, minutes: 12 },
] as const;

function raiseAlarms(simulator: Simulator, nowMs: number): void {
  for (let pump = 1; pump <= 4; pump += 1)
    for (const [k, kind] of kinds.entries())
      for (let hours = 0; hours < ALARM_DAYS * 24; hours += kind.everyHours / pump) {
        const dice = diceOf(pump * 10 + k, hours);
        const raisedMs = Math.floor(nowMs - hours * HOUR_MS - dice * 6 * HOUR_MS);
        // A few come twice within minutes.
        for (const again of dice < 0.25 ? [0, 4] : [0])
          raiseAlarm(simulator, { kind, pump, raisedMs: raisedMs + again * MINUTE_MS, dice, nowMs });
      }
}

interface Raised {
  readonly kind: (typeof kinds)[number];
  readonly pump: number;
  readonly raisedMs: number;
  readonly dice: number;
  readonly nowMs: number;
}

function raiseAlarm(simulator: Simulator, { kind, pump, raisedMs, dice, nowMs }: Raised): void {
  const isRecent = nowMs - raisedMs < DAY_MS / 2;
  const clearedMs = raisedMs + kind.minutes * (0.3 + 2 * dice) * MINUTE_MS;
  simulator.raiseAlarm({
    sourceObjName: `pump${pump}`,
    sourceObjShowName: `Feed pump ${pump}`,
    sourcePropName: kind.property,
    sourcePropShowName: kind.property,
    showName: kind.showName,
    alarmType: kind.type,
    priority: kind.priority,
    value: (60 + 30 * dice).toFixed(1),
    raisedMs,
    ...(dice < 0.8 && !isRecent
      ? { acknowledgedMs: raisedMs + dice * 30 * MINUTE_MS, ackUserName: 'shift1' }
      : {}),
    ...(isRecent && dice > 0.5 ? {} : { clearedMs }),
  });
}
