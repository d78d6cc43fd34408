import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { type Io, say } from '../../io.ts';
import {
  type Answers,
  Asker,
  type AskSection,
  askConsole,
  askHistory,
  askInflux,
  askPlatform,
  askPostgres,
  askRedis,
} from './ask.ts';
import {
  checkInflux,
  checkPlatform,
  checkPostgres,
  checkRedis,
  type ListChecks,
  tryAnswers,
} from './try-answers.ts';

/** The sections that only the user knows, and how their answers are tried. */
const sections: readonly { readonly ask: AskSection; readonly checks: ListChecks }[] = [
  { ask: askPlatform, checks: checkPlatform },
  { ask: askHistory, checks: () => [] },
  { ask: askPostgres, checks: checkPostgres },
  { ask: askInflux, checks: checkInflux },
  { ask: askRedis, checks: checkRedis },
  { ask: askConsole, checks: () => [] },
];
const TOKEN_BYTES = 24;
const KEEP = 'keep them: what is lacking comes later';

/**
 * Asks on the terminal for the options that only the user knows, and tries the answers of each section. The
 * user may correct or keep answers that fail. Optional questions may be left empty.
 */
export async function askForAnswers(io: Io): Promise<Answers> {
  const asker = new Asker(io);
  let answers: Answers = {};
  for (const { ask, checks } of sections) {
    let own: Answers = {};
    do {
      own = await ask(asker, own);
      await offerToken(asker, own['console.tokenFile']);
    } while (!(await tryAnswers(io, { ...answers, ...own }, checks)) && (await wantsToCorrect(asker)));
    answers = { ...answers, ...own };
    if (ask === askPlatform && own['platform.secret'] === '' && !io.env.PLATFORM_SECRET)
      say(io, 'the platform is not asked, since the variable PLATFORM_SECRET is not set\n');
  }
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== ''));
}

async function wantsToCorrect(asker: Asker): Promise<boolean> {
  return (await asker.choice('These answers do not work', ['correct them', KEEP])) !== KEEP;
}

/** Offers to write a file with a token that nobody can guess, where the named file does not exist. */
async function offerToken(asker: Asker, file = ''): Promise<void> {
  if (file === '' || existsSync(file)) return;
  if (await asker.yes(`${file} does not exist; write it with a random token?`))
    writeFileSync(file, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
}
