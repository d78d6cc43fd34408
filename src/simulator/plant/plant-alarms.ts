import { mix, pick, unit } from '../random.ts';
import type { Plant } from './plant.ts';

/** One alarm over its life. Times are epoch milliseconds, or undefined for an event that never happens. */
export interface Alarm {
  readonly alarmType: string;
  readonly description: string;
  readonly priority: number;
  readonly showName: string;
  readonly sourceObjName: string;
  readonly sourceObjShowName: string;
  readonly sourcePropName: string;
  readonly sourcePropShowName: string;
  readonly value: string;
  readonly raisedMs: number;
  acknowledgedMs?: number | undefined;
  ackUserName?: string | undefined;
  clearedMs?: number | undefined;
}

export type GivenAlarm = Pick<Alarm, 'sourceObjName' | 'sourcePropName'> & Partial<Alarm>;

const HOUR_MS = 3_600_000;
const types = ['GT', 'GE', 'LT', 'LE', 'EQ'] as const;
const alarmNames = ['温度过高', 'Pressure low', 'level > 90 %', 'E-12 "stop"'] as const;

/** The alarms of a plant. It raises some by itself, computed from (place, time). Callers raise others. */
export class Alarms {
  readonly #plant: Plant;
  readonly #given = new Map<number, Alarm>();
  #lastId = 0;
  #latest: { range: string; alarms: Alarm[] } | undefined;

  constructor(plant: Plant) {
    this.#plant = plant;
  }

  /** Raises an alarm and returns its id for `acknowledge` and `clear`. */
  raise(given: GivenAlarm, nowMs: number): number {
    this.#lastId += 1;
    this.#given.set(this.#lastId, {
      alarmType: 'GT',
      description: '',
      priority: 5,
      showName: 'alarm',
      sourceObjShowName: given.sourceObjName,
      sourcePropShowName: given.sourcePropName,
      value: '1',
      raisedMs: nowMs,
      ...given,
    });
    return this.#lastId;
  }

  acknowledge(id: number, user: string, atMs: number): void {
    const alarm = this.#given.get(id);
    if (!alarm) throw new Error(`no alarm ${id} was raised`);
    alarm.acknowledgedMs = atMs;
    alarm.ackUserName = user;
  }

  clear(id: number, atMs: number): void {
    const alarm = this.#given.get(id);
    if (!alarm) throw new Error(`no alarm ${id} was raised`);
    alarm.clearedMs = atMs;
  }

  /** Returns the alarms that are active at an instant, oldest first. */
  activeAt(nowMs: number): Alarm[] {
    const isActive = (alarm: Alarm) => alarm.raisedMs <= nowMs && !isPast(alarm.clearedMs, nowMs);
    return byTime([...this.#computed(nowMs, nowMs), ...this.#given.values()].filter(isActive));
  }

  /** Returns the alarms raised within `[fromMs, toMs]`, oldest first. */
  raisedBetween(fromMs: number, toMs: number): Alarm[] {
    const isWithin = (alarm: Alarm) => alarm.raisedMs >= fromMs && alarm.raisedMs <= toMs;
    const range = `${fromMs} ${toMs}`;
    // A history is read page by page with the same range, so the last range is remembered.
    if (this.#latest?.range !== range)
      this.#latest = { range, alarms: [...this.#computed(fromMs, toMs)].filter(isWithin) };
    return byTime([...this.#latest.alarms, ...[...this.#given.values()].filter(isWithin)]);
  }

  /**
   * Yields alarms whose slot touches the range. A source has slots of 2 hours, one source in eight slots of 4
   * days.
   */
  *#computed(fromMs: number, toMs: number): Generator<Alarm> {
    const { seed, size } = this.#plant;
    const objects = this.#plant.objects.list();
    const sources = Math.min(size.alarmSources, size.objects, objects.length);
    for (let source = 0; source < sources; source += 1) {
      const hash = mix(mix(seed.seed, 61), source);
      const slotMs = hash % 8 === 0 ? 96 * HOUR_MS : 2 * HOUR_MS;
      // Sources do not move from slot to slot at the same moment.
      const shiftMs = Math.floor(unit(hash) * slotMs);
      const first = Math.max(Math.floor((fromMs - shiftMs) / slotMs), Math.ceil(seed.startMs / slotMs));
      for (let slot = first; slot * slotMs + shiftMs <= toMs; slot += 1) {
        const dice = mix(hash, slot);
        if (dice % 3 !== 0) continue;
        const alarm = this.#alarm(source, dice, { fromMs: slot * slotMs + shiftMs, slotMs });
        yield alarm;
        // Some platforms show the same alarm twice.
        if (seed.awkward && dice % 5 === 0) yield alarm;
      }
    }
  }

  #alarm(source: number, dice: number, slot: { fromMs: number; slotMs: number }): Alarm {
    const object = this.#plant.objects.list().at(source);
    const properties = this.#plant.properties(object.name).list();
    const property = properties.length > 0 ? properties.at(dice % properties.length) : undefined;
    const second = (share: number) => Math.floor((slot.fromMs + share * slot.slotMs) / 1000) * 1000;
    const raised = unit(mix(dice, 1)) * 0.4;
    const cleared = raised + 0.01 + unit(mix(dice, 2)) * 0.5;
    const acknowledged = raised + unit(mix(dice, 3)) * (cleared - raised);
    return {
      alarmType: pick(types, dice),
      description: dice % 2 === 0 ? '' : `limit passed at ${object.name}`,
      priority: 1 + (dice % 10),
      showName: pick(alarmNames, mix(dice, 4)),
      sourceObjName: object.name,
      sourceObjShowName: String(object.showName ?? ''),
      sourcePropName: property?.name ?? 'temperature',
      sourcePropShowName: String(property?.showName ?? ''),
      value: (unit(mix(dice, 5)) * 100).toFixed(2),
      raisedMs: second(raised),
      clearedMs: second(cleared),
      ...(mix(dice, 6) % 3 === 0 ? {} : { acknowledgedMs: second(acknowledged), ackUserName: 'user1' }),
    };
  }
}

function byTime(alarms: Alarm[]): Alarm[] {
  return alarms.sort((one, other) => one.raisedMs - other.raisedMs);
}

/** Returns true if an event has happened by now. */
export function isPast(atMs: number | undefined, nowMs: number): boolean {
  return atMs !== undefined && atMs <= nowMs;
}
