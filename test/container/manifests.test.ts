import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { Job } from 'kubernetes-types/batch/v1.d.ts';
import type { ConfigMap, PodTemplateSpec, Secret, Service } from 'kubernetes-types/core/v1.d.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readVersion } from '../../src/cli/package-root.ts';
import { loadConfig } from '../../src/config/load.ts';
import { findProblems, type Resource } from './kubernetes-problems.ts';
import { pairsOf, readDockerfile } from './read-dockerfile.ts';

/** The options of the console that the image sets. */
const imageEnv = Object.assign(
  {},
  ...readDockerfile('Dockerfile')
    .filter(({ keyword }) => keyword === 'ENV')
    .map(({ text }) => pairsOf(text)),
) as Record<string, string>;

/**
 * The members of the linter's results that this test reads. The rules of Node do not find the linter's own
 * types.
 */
interface LintResult {
  readonly messages: readonly { readonly rule: string; readonly message: string }[];
}

describe('the Dockerfile', () => {
  it('has nothing that a linter finds', () => {
    expect(validate(readFileSync('Dockerfile', 'utf8'))).toEqual([]);
    expect(validate('FROM node\nMAINTAINER nobody\n')).not.toEqual([]);
  });
});

describe('compose.yaml', () => {
  const compose = parse(readFileSync('compose.yaml', 'utf8'), { merge: true });
  /** The formatter of the project decides the layout of files. */
  const layout = ['service-keys-order', 'services-alphabetical-order', 'require-quotes-in-ports'];
  /** The services share one image, and any of them may build it. */
  const rules = Object.fromEntries([...layout, 'no-build-and-image'].map((rule) => [rule, 0 as const]));
  const lint = (file: string) =>
    new DCLinter({ rules, quiet: false, debug: false, exclude: [] })
      .lintFiles([file], false)
      .flatMap(({ messages }: LintResult) => messages.map(({ rule, message }) => `${rule}: ${message}`));

  it('is as the Compose specification says', () => {
    expect(lint('compose.yaml')).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), 'plantsync-test-compose-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const wrong = readFileSync('compose.yaml', 'utf8').replace('read_only: true', 'readonly: true');
    writeFileSync(join(folder, 'compose.yaml'), wrong);
    expect(lint(join(folder, 'compose.yaml')).join()).toMatch(/invalid-schema/);
  });

  it('sets what plantsync knows, and needs no account for a trial', async () => {
    const fill = (value: string) => value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
    for (const name of ['scheduler', 'worker', 'console']) {
      const set = Object.entries(compose.services[name].environment as Record<string, string>);
      const env = Object.fromEntries(set.map(([key, value]) => [key, fill(value)]));
      const config = await loadConfig({ path: false, env: { ...imageEnv, ...env } });
      expect(config).toMatchObject({
        platform: { baseUrl: 'http://simulator:8480', appId: 'demo-app' },
        postgres: {
          server: { password: compose.services.postgres.environment.POSTGRES_PASSWORD.slice(21, -1) },
        },
        console: { host: '0.0.0.0', port: 8481, token: expect.stringContaining('for-trials-only') },
        redis: { url: expect.stringMatching(/^redis:/) },
      });
    }
  });
});

describe('deploy/kubernetes.yaml', () => {
  const resources = parseAllDocuments(readFileSync('deploy/kubernetes.yaml', 'utf8')).map(
    (document) => document.toJS() as Resource,
  );
  const ofKind = <T>(kind: string) => resources.filter((each) => each.kind === kind) as unknown as T[];
  const templates: PodTemplateSpec[] = [...ofKind<Deployment>('Deployment'), ...ofKind<Job>('Job')].map(
    ({ spec }) => spec?.template as PodTemplateSpec,
  );
  const [secret] = ofKind<Secret>('Secret');
  const [configMap] = ofKind<ConfigMap>('ConfigMap');

  it('is as the published definitions say', () => {
    expect(findProblems(resources)).toEqual([]);
    const wrong = JSON.parse(
      JSON.stringify(resources)
        .replaceAll('readinessProbe', 'readynessProbe')
        .replaceAll('"replicas":2', '"replicas":"2"'),
    ) as Resource[];
    const problems = findProblems(wrong).join('\n');
    expect(problems).toMatch(/readynessProbe/);
    expect(problems).toMatch(/'string' is not assignable to type 'number'/);
  });

  it('joins what belongs together: labels, ports, volumes, and the version of the image', () => {
    for (const { spec } of ofKind<Deployment>('Deployment'))
      expect(spec?.template.metadata?.labels).toMatchObject(spec?.selector.matchLabels ?? {});
    const [service] = ofKind<Service>('Service');
    const served = templates.filter(({ metadata }) =>
      Object.entries(service?.spec?.selector ?? {}).every(
        ([key, value]) => metadata?.labels?.[key] === value,
      ),
    );
    expect(served).toHaveLength(2);
    for (const { spec } of templates) {
      const [container] = spec?.containers ?? [];
      expect(container?.image).toBe(`plantsync:${readVersion()}`);
      expect(container?.volumeMounts?.map(({ name }) => name)).toEqual(
        spec?.volumes?.map(({ name }) => name),
      );
      const sources = spec?.volumes?.map((volume) => volume.configMap?.name ?? volume.secret?.secretName);
      expect(sources).toEqual([configMap?.metadata?.name, secret?.metadata?.name]);
    }
    for (const { spec } of served) {
      const [container] = spec?.containers ?? [];
      const [port] = container?.ports ?? [];
      expect(String(port?.containerPort)).toBe(imageEnv.PLANTSYNC_CONSOLE__PORT);
      const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
      expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual(
        ['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: port?.name })),
      );
      expect(service?.spec?.ports?.[0]?.targetPort).toBe(port?.name);
    }
  });

  it('gives no pod more than it needs', () => {
    for (const { spec } of templates) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext, resources: needs } of spec?.containers ?? []) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(needs?.limits?.memory).toBeDefined();
      }
    }
  });

  it('refuses to start until it is filled in, and has what plantsync knows then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plantsync-test-kubernetes-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'plantsync.yaml');
    const load = (yaml: string, secrets: Record<string, string>) => {
      for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), value);
      writeFileSync(path, yaml.replaceAll('/run/secrets/plantsync', folder));
      return loadConfig({ path, env: imageEnv });
    };
    const yaml = configMap?.data?.['plantsync.yaml'] ?? '';
    const secrets = secret?.stringData ?? {};
    const problems = await load(yaml, secrets).catch((error: Error) => error.message);
    for (const option of [
      'platform.baseUrl',
      'platform.appId',
      'platform.secret',
      'postgres.password',
      'influx.password',
      'console.token',
    ])
      expect(problems).toMatch(new RegExp(`- ${option}: empty`));
    const filled = yaml
      .replace('baseUrl: ""', 'baseUrl: https://platform.example')
      .replace('appId: ""', 'appId: a');
    const config = await load(
      filled,
      Object.fromEntries(Object.keys(secrets).map((name) => [name, `${name}-of-a-test`])),
    );
    expect(config).toMatchObject({
      platform: { secret: 'platform-secret-of-a-test' },
      postgres: { server: { password: 'postgres-password-of-a-test' } },
      influx: { password: 'influx-password-of-a-test' },
      console: { host: '0.0.0.0', token: 'console-token-of-a-test' },
    });
  });
});
