import type { LastRunReply } from '../../api/streams.ts';
import { streams } from '../texts/streams.ts';
import { type Level, State } from './state.tsx';

const levels: Readonly<Record<LastRunReply['outcome'], Level>> = {
  running: 'busy',
  done: 'ok',
  partial: 'late',
  failed: 'broken',
  interrupted: 'late',
  lost: 'broken',
};

/** How a run ended, or that it is running. */
export function Outcome({ of }: { of: LastRunReply['outcome'] }) {
  return <State level={levels[of]}>{streams.value.outcomes[of]}</State>;
}
