import type { DescribedCommand, Values } from './describe-program.ts';

/** Writes the completion for bash. It needs nothing but bash 4. */
export function writeBash(commands: readonly DescribedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => path);
  const lines = [
    `# To use it: source <(plantsync completion bash).`,
    `_plantsync() {`,
    `  local word path='' current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"`,
    `  COMPREPLY=()`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    `    case "\${path:+$path }$word" in`,
    `      ${paths.map(quote).join('|')}) path="\${path:+$path }$word" ;;`,
    `    esac`,
    `  done`,
    `  case "$path:$before" in`,
    ...commands.flatMap(writeValues),
    `  esac`,
    `  local options='' words=''`,
    `  case "$path" in`,
    ...commands.map(writeWords),
    `  esac`,
    `  if [[ $current == -* ]]; then words=$options; fi`,
    `  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")`,
    `}`,
    `complete -F _plantsync plantsync`,
  ];
  return `${lines.join('\n')}\n`;
}

function writeValues({ path, options }: DescribedCommand): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ name, values }) => `    ${quote(`${path}:${name}`)}) ${complete(values)}return ;;`);
}

function complete(values: Values): string {
  if (values === undefined) return '';
  if (values === 'file') return 'compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); ';
  return `mapfile -t COMPREPLY < <(compgen -W ${quote(values.join(' '))} -- "$current"); `;
}

function writeWords({ path, commands, options, values }: DescribedCommand): string {
  const words = [...commands.map(({ name }) => name), ...(Array.isArray(values) ? values : [])];
  const names = options.map(({ name }) => name);
  return `    ${quote(path)}) options=${quote(names.join(' '))} words=${quote(words.join(' '))} ;;`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
