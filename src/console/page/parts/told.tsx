import { meaningIn } from '../texts/code-text.ts';

/** What a run or a server has told. To readers of Chinese, the meaning of its code comes first. */
export function Told({ text }: { text: string }) {
  const meaning = meaningIn(text);
  if (meaning === undefined) return <>{text}</>;
  return (
    <>
      {meaning} <span class="muted small">{text}</span>
    </>
  );
}
