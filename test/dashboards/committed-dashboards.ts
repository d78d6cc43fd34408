import { readdirSync, readFileSync } from 'node:fs';

/** The parts of a dashboard that the tests look at, as they stand in the committed JSON. */
export interface DashboardJson {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly panels: readonly PanelJson[];
  readonly templating: { readonly list: readonly VariableJson[] };
  readonly annotations: { readonly list: readonly AnnotationJson[] };
  readonly [member: string]: unknown;
}

export interface PanelJson {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: DataSourceJson;
  readonly targets?: readonly TargetJson[];
  readonly transformations?: readonly { readonly id: string; readonly options: Record<string, unknown> }[];
  readonly fieldConfig?: { readonly overrides: readonly OverrideJson[] };
  readonly repeat?: string;
}

export interface OverrideJson {
  readonly matcher: { readonly id: string; readonly options: unknown };
  readonly properties: readonly { readonly id: string; readonly value?: unknown }[];
}

export interface DataSourceJson {
  readonly type: string;
  readonly uid: string;
}

export interface TargetJson {
  readonly refId: string;
  readonly datasource: DataSourceJson;
  readonly rawSql?: string;
  readonly query?: string;
  readonly expr?: string;
  readonly alias?: string;
  readonly resultFormat?: string;
}

export interface VariableJson {
  readonly name: string;
  readonly type: string;
  readonly query: string;
  readonly datasource?: DataSourceJson;
  readonly multi: boolean;
  readonly includeAll: boolean;
  readonly allValue?: string;
  readonly current?: { readonly value: string | readonly string[] };
  readonly options?: readonly { readonly value: string }[];
}

export interface AnnotationJson {
  readonly name: string;
  readonly datasource: DataSourceJson;
  readonly target: TargetJson;
}

export const DASHBOARDS = new URL('../../config/grafana/dashboards/', import.meta.url);

/** Reads the committed dashboards, by the name of their file. */
export function readDashboards(): Map<string, DashboardJson> {
  const files = readdirSync(DASHBOARDS).sort();
  return new Map(files.map((file) => [file, JSON.parse(readFileSync(new URL(file, DASHBOARDS), 'utf8'))]));
}
