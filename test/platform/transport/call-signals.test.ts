import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { CallSignals } from '../../../src/platform/transport/call-signals.ts';

const reason = new Error('no more');

describe('signals of calls', () => {
  it('abort with the signal of the caller, and not with another', () => {
    const signals = new CallSignals();
    const [own, other] = [new AbortController(), new AbortController()];
    const [first, second] = [signals.enter(own.signal), signals.enter(other.signal)];
    const free = signals.enter(undefined);
    own.abort(reason);
    expect(first.reason).toBe(reason);
    expect([second.aborted, free.aborted]).toEqual([false, false]);
  });

  it('abort at once where the signal of the caller is aborted already', () => {
    expect(new CallSignals().enter(AbortSignal.abort(reason)).reason).toBe(reason);
  });

  it('leave the signal of the caller with its last call', () => {
    const signals = new CallSignals();
    const { signal } = new AbortController();
    const listeners = () => getEventListeners(signal, 'abort').length;
    for (let call = 0; call < 3; call += 1) signals.enter(signal);
    expect(listeners()).toBe(1);
    for (let call = 0; call < 2; call += 1) signals.leave(signal);
    expect(listeners()).toBe(1);
    signals.leave(signal);
    expect(listeners()).toBe(0);
  });

  it('abort when the client closes, also those of later calls', () => {
    const signals = new CallSignals();
    const { signal } = new AbortController();
    const early = [signals.enter(signal), signals.enter(undefined)];
    signals.close(reason);
    const late = signals.enter(new AbortController().signal);
    expect([...early, late].map((each) => each.reason)).toEqual([reason, reason, reason]);
  });
});
