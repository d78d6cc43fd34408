import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { answers, freePort, makeFolder, startProcess, type TestServer } from './process.ts';
import { ensureProgram, prometheusServer, promtool } from './programs.ts';

const CONFIG = 'config/prometheus/prometheus.yml';
export const ALERTS = 'config/prometheus/alerts.yml';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>>;
}

/** An alert whose expression is true, as Prometheus shows it. */
export interface FiringAlert {
  readonly labels: Readonly<Record<string, string>> & { readonly alertname: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly groups: { readonly name: string; readonly rules: AlertRule[] }[];
}

/** Reads the alert rules of the product. */
export async function readAlertRules(): Promise<AlertRule[]> {
  const { groups } = parse(await readFile(ALERTS, 'utf8')) as RuleFile;
  return groups.flatMap(({ rules }) => rules);
}

/** Runs promtool. Resolves to what it prints. Rejects with that if something is wrong. */
export async function runPromtool(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(await ensureProgram(promtool), args).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    },
  );
  return `${stdout}${stderr}`;
}

export interface TestPrometheus extends TestServer {
  /** Returns the alerts that fire at this moment. */
  firing(): Promise<FiringAlert[]>;
}

/**
 * Starts Prometheus with the scrape file and the alerts of the product. It looks twice a second, and alerts
 * fire at once, without their `for`.
 */
export async function startPrometheus(targets: readonly string[]): Promise<TestPrometheus> {
  const folder = await makeFolder('prometheus');
  const config = parse(await readFile(CONFIG, 'utf8'));
  const [scrape] = config.scrape_configs;
  const quick = {
    ...config,
    global: { scrape_interval: '500ms', scrape_timeout: '400ms', evaluation_interval: '500ms' },
    scrape_configs: [{ ...scrape, static_configs: [{ targets }] }],
  };
  const { groups } = parse(await readFile(ALERTS, 'utf8')) as RuleFile;
  const rules = groups.map((group) => ({
    ...group,
    rules: group.rules.map(({ for: _, ...rule }) => rule),
  }));
  await writeFile(join(folder, 'prometheus.yml'), stringify(quick));
  await writeFile(join(folder, 'alerts.yml'), stringify({ groups: rules }));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startProcess({
    command: await ensureProgram(prometheusServer),
    args: [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    ...{ url, folder, isReady: () => answers(`${url}/-/ready`) },
  });
  return {
    ...server,
    async firing() {
      const reply = await fetch(`${url}/api/v1/alerts`);
      const { data } = (await reply.json()) as { data: { alerts: (FiringAlert & { state: string })[] } };
      return data.alerts.filter(({ state }) => state === 'firing');
    },
  };
}
