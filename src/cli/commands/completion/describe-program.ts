import type { Argument, Command, Option } from 'commander';

/** What may stand at a place of the command line: one of these words, a file, or anything. */
export type Values = readonly string[] | 'file' | undefined;

/** An option with its long name, such as `--config`. */
export interface DescribedOption {
  readonly name: string;
  readonly about: string;
  readonly takesValue: boolean;
  readonly values: Values;
}

/** A word of the command line, and what it means. */
export interface DescribedWord {
  readonly name: string;
  readonly about: string;
}

/** What may follow a command. */
export interface DescribedCommand {
  /** The words of the command, such as `rejects list`. It is empty for the program itself. */
  readonly path: string;
  readonly commands: readonly DescribedWord[];
  readonly options: readonly DescribedOption[];
  readonly values: Values;
}

/** The words that arguments stand for, by the name of the argument: `stream`, `operation`. */
export type KnownWords = Readonly<Record<string, readonly string[]>>;

/** Describes a program and all of its commands, for the completion by a shell. */
export function describeProgram(program: Command, known: KnownWords): DescribedCommand[] {
  return describe(program, '');

  function describe(command: Command, path: string): DescribedCommand[] {
    const commands = command.createHelp().visibleCommands(command);
    const below = commands
      .filter((each) => each.name() !== 'help')
      .map((each) => ({ each, path: `${path} ${each.name()}`.trim() }));
    const nested = below.flatMap((each) => describe(each.each, each.path));
    // The words after `plantsync rejects` may be options of its default command.
    const main = nested.find((each) => each.path === `${path} ${defaultOf(command)}`.trim());
    const own: DescribedCommand = {
      path,
      commands: below.map(({ each }) => ({ name: each.name(), about: each.description() })),
      options: main?.options ?? command.createHelp().visibleOptions(command).map(describeOption),
      values: valuesOf(command.registeredArguments[0]),
    };
    return [own, ...nested];
  }

  function valuesOf(argument: Argument | undefined): Values {
    return argument?.argChoices ?? known[argument?.name() ?? ''];
  }

  function describeOption(option: Option): DescribedOption {
    const name = option.long ?? option.flags;
    const takesValue = option.required || option.optional;
    const ofFile = /[<\]]file>/.test(option.flags) ? 'file' : undefined;
    return {
      name,
      about: option.description,
      takesValue,
      values: option.argChoices ?? ofFile ?? known[name],
    };
  }
}

/** Returns the name of the command that runs if none is given. Commander keeps it to itself. */
function defaultOf(command: Command): string | undefined {
  const name: unknown = Reflect.get(command, '_defaultCommandName');
  return typeof name === 'string' ? name : undefined;
}
