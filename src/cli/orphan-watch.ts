const EVERY_MS = 500;

/**
 * Calls `onOrphaned` when npm, which ran this command as a script, has ended. Some ends of npm, as by SIGKILL
 * or SIGHUP, send its script no signal. A command that npm did not start may outlive its parent process.
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
