import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { Job } from 'kubernetes-types/batch/v1.d.ts';
import type { ConfigMap, PodTemplateSpec, Secret, Service } from 'kubernetes-types/core/v1.d.ts';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { readVersion } from '../../src/package-root.ts';
import { findProblems, type Resource } from './kubernetes-problems.ts';
import { pairsOf, readDockerfile } from './read-dockerfile.ts';

/** The options of the console that the image sets. */
const imageEnv = Object.assign(
  {},
  ...readDockerfile('Dockerfile')
    .filter(({ keyword }) => keyword === 'ENV')
    .map(({ text }) => pairsOf(text)),
) as Record<string, string>;

describe('the Dockerfile', () => {
  it('has nothing that a linter finds', () => {
    expect(validate(readFileSync('Dockerfile', 'utf8'))).toEqual([]);
    expect(validate('FROM node\nMAINTAINER nobody\n')).not.toEqual([]);
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

  it('lets the pods reach what the configuration names, and nobody but pages and Prometheus reach them', () => {
    const [policy] = ofKind<NetworkPolicy>('NetworkPolicy');
    const { podSelector, policyTypes, ingress = [], egress = [] } = policy?.spec ?? {};
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    const [chosen] = podSelector?.matchExpressions ?? [];
    expect(chosen).toMatchObject({ key: 'app.kubernetes.io/name', operator: 'In' });
    for (const { metadata } of templates)
      expect(chosen?.values).toContain(metadata?.labels?.['app.kubernetes.io/name']);
    expect(ingress.map(({ ports }) => ports)).toEqual([[{ protocol: 'TCP', port: 8481 }]]);
    const redis = templates.flatMap(({ spec }) =>
      (spec?.containers[0]?.env ?? []).map(({ value }) => value ?? ''),
    );
    const urls = [...(configMap?.data?.['plantsync.yaml'] ?? '').matchAll(/url: (\S+)/g)].map(
      ([, url]) => url,
    );
    const ports = [...urls, ...redis].flatMap((url) => /:(\d+)/.exec(url ?? '')?.[1] ?? []).map(Number);
    expect(new Set(ports)).toEqual(new Set([5432, 8086, 6379]));
    const open = egress.flatMap((rule) =>
      (rule.ports ?? []).map(({ protocol, port }) => `${protocol} ${port}`),
    );
    const needed = [...new Set(ports), 443].map((port) => `TCP ${port}`);
    expect(new Set(open)).toEqual(new Set([...needed, 'UDP 53', 'TCP 53']));
  });

  it('refuses to start until it is filled in, and has what plantsync knows then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plantsync-test-kubernetes-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'plantsync.yaml');
    const variables = Object.fromEntries(
      (templates[0]?.spec?.containers[0]?.env ?? []).map(({ name, value = '' }) => [
        name,
        value.replaceAll('/run/secrets/plantsync', folder),
      ]),
    );
    const load = (yaml: string, secrets: Record<string, string>) => {
      for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), value);
      writeFileSync(path, yaml.replaceAll('/run/secrets/plantsync', folder));
      return loadConfig({ path, env: { ...imageEnv, ...variables } });
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
      'redis.password',
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
      redis: { password: 'redis-password-of-a-test' },
      console: { host: '0.0.0.0', token: 'console-token-of-a-test' },
    });
  });
});

describe('config/grafana/kustomization.yaml', () => {
  interface Generator {
    readonly name: string;
    readonly files: readonly string[];
    readonly options: { readonly labels: Readonly<Record<string, string>> };
  }
  const folder = 'config/grafana';
  const { configMapGenerator: generators } = parse(
    readFileSync(join(folder, 'kustomization.yaml'), 'utf8'),
  ) as { configMapGenerator: Generator[] };

  it('makes a ConfigMap of each dashboard and of the data sources, with the labels that a sidecar looks for', () => {
    const labelled = (label: string) =>
      generators.filter(({ options }) => options.labels[label] === '1').flatMap(({ files }) => files);
    const inFolder = (name: string) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`);
    expect(labelled('grafana_dashboard').sort()).toEqual(inFolder('dashboards').sort());
    expect(labelled('grafana_datasource')).toEqual(inFolder('provisioning/datasources'));
    expect(new Set(generators.map(({ name }) => name)).size).toBe(generators.length);
    // A resource has at most 1 MiB.
    for (const { files } of generators)
      for (const file of files) expect(statSync(join(folder, file)).size, file).toBeLessThan(900_000);
  });
});
