import type { PlainRecord } from '../values.ts';

/** A workflow that was started. */
export interface StartedWorkflow {
  readonly id: number;
  readonly diagramCode: string;
  readonly body: PlainRecord;
}

const diagramCodes = ['maintenance', 'inspection', '采购/审批'];

/** The workflows that can be started, and those that were started. */
export class Workflows {
  readonly #started: StartedWorkflow[] = [];

  knows(diagramCode: string): boolean {
    return diagramCodes.includes(diagramCode);
  }

  start(diagramCode: string, body: PlainRecord): StartedWorkflow {
    const workflow = { id: this.#started.length + 1, diagramCode, body };
    this.#started.push(workflow);
    return workflow;
  }

  started(): readonly StartedWorkflow[] {
    return this.#started;
  }
}
