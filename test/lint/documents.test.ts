import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((name) => name !== '' && existsSync(name));
/** What happened is not changed after the fact: files that a release or a decision names may be gone. */
const current = documents.filter((name) => !/^(CHANGELOG\.md|docs\/decisions\/0)/.test(name));

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '');

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

it.each(current)('%s names only files that exist', (name) => {
  const named = withoutCode(readFileSync(name, 'utf8')).matchAll(
    /`((?:src|test|jobs|lint|docs|config|deploy)\/[\w./-]*[\w/])`/g,
  );
  expect([...named].map(([, path]) => path ?? '').filter((path) => !existsSync(path))).toEqual([]);
});

it.each(documents)('%s links only to files and headings that exist', (name) => {
  const links = withoutCode(readFileSync(name, 'utf8')).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g);
  const broken = [...links].map(([, link]) => link ?? '').filter((link) => !exists(name, link));
  expect(broken).toEqual([]);
});

function exists(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  const headings = readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].some(([, heading]) => anchorOf(heading ?? '') === anchor);
}
