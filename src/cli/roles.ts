/** The role of a process of the service: everything, the schedules, the jobs, or the console. */
export const roles = ['all', 'scheduler', 'worker', 'console'] as const;
export type Role = (typeof roles)[number];
