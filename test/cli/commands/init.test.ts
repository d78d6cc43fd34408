// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has this syntax of its own.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillTemplate } from '../../../src/cli/commands/init/init.ts';
import { loadConfig } from '../../../src/config/load.ts';

const template = readFileSync('config/plantsync.yaml', 'utf8');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plantsync-init-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('fillTemplate', () => {
  it('puts answers into the manual, also into options that are switched off, and the result loads', async () => {
    const answers = {
      'platform.baseUrl': 'https://p.example/gw',
      'platform.appId': 'my: "app"',
      'platform.secret': '${not a variable} #1',
      'platform.timezone': 'Asia/Shanghai',
      'postgres.url': 'postgres://u@h/d',
      'postgres.password': 'p@ss',
      'influx.url': 'http://i:8086',
      'influx.version': '1',
      'influx.database': 'plant',
    };
    const path = join(folder, 'plantsync.yaml');
    writeFileSync(path, fillTemplate(template, answers));
    const config = await loadConfig({ path, env: {} });
    expect(config.platform).toMatchObject({
      baseUrl: 'https://p.example/gw',
      appId: 'my: "app"',
      secret: '${not a variable} #1',
    });
    expect(config.platform.timezone).toBe('Asia/Shanghai');
    expect(config.postgres.server).toEqual({ url: 'postgres://u@h/d', password: 'p@ss' });
    expect(config.influx).toMatchObject({ url: 'http://i:8086', version: 1, database: 'plant' });
  });

  it('keeps every comment', () => {
    const comments = (text: string) =>
      text.split('\n').filter((line) => /^\s*# (?!yaml-language)/.test(line));
    expect(comments(fillTemplate(template, { 'platform.appId': 'x' }))).toEqual(comments(template));
  });

  it('refuses an answer that the manual has no place for', () => {
    expect(() => fillTemplate(template, { 'platform.nothing': 'x' })).toThrow(/platform\.nothing/);
  });
});
