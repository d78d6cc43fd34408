const EVERY_MS = 500;

/**
 * Calls `onOrphaned` when npm, which ran this command as a script, is gone: some ends of npm, as by SIGKILL
 * or SIGHUP, reach its script by no signal. A command that was not started by npm may outlive whoever started
 * it.
 */
export function watchNpm(env: NodeJS.ProcessEnv, onOrphaned: () => void): void {
  if (env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onOrphaned();
  }, EVERY_MS).unref();
}
