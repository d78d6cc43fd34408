/** What a process of the service is there for: everything, the schedules, the jobs, or the page that shows how it is. */
export const roles = ['all', 'scheduler', 'worker', 'console'] as const;
export type Role = (typeof roles)[number];
