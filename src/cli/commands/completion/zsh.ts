import type { DescribedCommand, DescribedWord, Values } from './describe-program.ts';

/** Writes the completion for zsh, with what each word means. */
export function writeZsh(commands: readonly DescribedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => path);
  const lines = [
    `#compdef plantsync`,
    `# To use it, after compinit: source <(plantsync completion zsh).`,
    `_plantsync() {`,
    `  local word place='' before="\${words[CURRENT-1]}"`,
    `  local -a found`,
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    `    case "\${place:+$place }$word" in`,
    `      (${paths.map(quote).join('|')}) place="\${place:+$place }$word" ;;`,
    `    esac`,
    `  done`,
    `  case "$place:$before" in`,
    ...commands.flatMap(writeValues),
    `  esac`,
    `  case "$place:\${words[CURRENT]}" in`,
    ...commands.flatMap(writeWords),
    `  esac`,
    `  if [[ \${words[CURRENT]} == -* ]]; then _describe -o options found; else _describe words found; fi`,
    `}`,
    `compdef _plantsync plantsync`,
  ];
  return `${lines.join('\n')}\n`;
}

function writeValues({ path, options }: DescribedCommand): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ name, values }) => `    (${quote(`${path}:${name}`)}) ${complete(values)}return ;;`);
}

function complete(values: Values): string {
  if (values === undefined) return '';
  return values === 'file' ? '_files; ' : `compadd -- ${values.map(quote).join(' ')}; `;
}

function writeWords({ path, commands, options, values }: DescribedCommand): string[] {
  const words = [
    ...commands,
    ...(Array.isArray(values) ? values.map((name): DescribedWord => ({ name, about: '' })) : []),
  ];
  return [
    `    (${quote(`${path}:`)}-*) found=(${options.map(describe).join(' ')}) ;;`,
    `    (${quote(`${path}:`)}*) found=(${words.map(describe).join(' ')}) ;;`,
  ];
}

function describe({ name, about }: DescribedWord): string {
  const text = name.replaceAll(':', '\\:');
  return quote(about === '' ? text : `${text}:${about}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
