import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChartReply } from '../../api/explorer.ts';
import { type Answer, ask, problemOf } from '../app/api.ts';
import { queryOf, type View } from './view.ts';

/** Reads the charts of all series again after this time, if the range ends now. */
const EVERY_MS = 30_000;

/** Reads what the charts of all series show. The last charts stay until newer ones are there. */
export function useCharts(view: View, columns: number): Answer<readonly ChartReply[]> {
  type Charts = Omit<Answer<readonly ChartReply[]>, 'reload'>;
  const [answer, setAnswer] = useState<Charts>({ data: undefined, problem: undefined, isLoading: true });
  const [turn, setTurn] = useState(0);
  const asking = useRef<AbortController | undefined>(undefined);
  const key = JSON.stringify([view, columns, turn]);
  useEffect(() => {
    if (columns === 0) return undefined;
    const controller = new AbortController();
    asking.current = controller;
    setAnswer((before) => ({ ...before, isLoading: true }));
    readCharts(view, columns, controller.signal).then(
      (data) => !controller.signal.aborted && setAnswer({ data, problem: undefined, isLoading: false }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setAnswer(({ data }) => ({ data, problem: problemOf(error), isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [key]);
  const isLive = view.to === 'now';
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => document.hidden || setTurn((count) => count + 1), EVERY_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  return { ...answer, reload: () => setTurn((count) => count + 1) };
}

function readCharts(view: View, columns: number, signal: AbortSignal): Promise<ChartReply[]> {
  return Promise.all(
    view.series.map((series) =>
      ask<ChartReply>(`/explorer/chart?${queryOf(view, { series, columns: String(columns) })}`, { signal }),
    ),
  );
}
