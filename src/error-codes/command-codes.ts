import type { CodeEntry } from './code-entry.ts';

/** What is wrong with the configuration or a command line, and how commands and runs end. */
export const commandCodes = {
  'config.file_unreadable': {
    meaning: 'The configuration file cannot be read.',
    remedy:
      'Check `--config`, `PLANTSYNC_CONFIG` and the rights of the file. `plantsync init` writes a file.',
  },
  'config.not_yaml': {
    meaning: 'The configuration file is not YAML, or is no map of options.',
    remedy: 'Correct the line that the message names.',
  },
  'config.unknown_key': {
    meaning: 'The configuration, or a variable of the environment, names an option that does not exist.',
    remedy: 'Take the option that the message proposes. `config/plantsync.yaml` has all options.',
  },
  'config.missing_option': {
    meaning: 'An option that plantsync cannot do without is not set.',
    remedy: 'Set it in the file, or by the variable that the message names.',
  },
  'config.wrong_value': {
    meaning: 'An option has a value that it cannot have.',
    remedy: 'Correct it. `config/plantsync.yaml` says what the option takes.',
  },
  'config.missing_variable': {
    meaning: 'The file uses a variable of the environment that is not set.',
    remedy: 'Set the variable, or give a default after `:-` in the braces.',
  },
  'config.secret_unreadable': {
    meaning: 'A file that an option such as `platform.secretFile` names cannot be read.',
    remedy: 'Correct the path, or the rights of the file.',
  },
  'config.secret_twice': {
    meaning: 'A secret is given twice: as it is, and as a file.',
    remedy: 'Leave one of the two out.',
  },
  'config.certificate_unusable': {
    meaning: 'A certificate or key of the configuration cannot be used.',
    remedy: 'Give it as PEM, and the key that belongs to the certificate.',
  },
  'config.several': {
    meaning: 'The configuration has problems of several kinds.',
    remedy: 'Each line of the message has the code of its own problem.',
  },
  'usage.unknown_command': {
    meaning: 'There is no such command.',
    remedy: 'See `plantsync --help`.',
  },
  'usage.unknown_option': {
    meaning: 'The command has no such option.',
    remedy: 'See `--help` after the command. Options go after the command.',
  },
  'usage.missing_argument': {
    meaning: 'The command needs an argument or an option that was not given.',
    remedy: 'Give what the message names.',
  },
  'usage.wrong_request': {
    meaning: 'A request to the API of the console has wrong parameters or a wrong body.',
    remedy: 'Correct what the message names. `/api/v1/openapi.json` describes all parameters.',
  },
  'usage.extra_argument': {
    meaning: 'The command takes fewer arguments than were given.',
    remedy: 'Leave the last ones out. Put a value that holds blanks into quotes.',
  },
  'usage.wrong_value': {
    meaning: 'An option or argument has a value that it cannot have.',
    remedy: 'The message says what it takes.',
  },
  'usage.wrong_time': {
    meaning: 'A time cannot be read, lacks its zone, or lies where the command does not look.',
    remedy: 'Give `2024-05-01T00:00:00Z`, `2024-05-01`, `now`, or `-7d` for seven days ago.',
  },
  'usage.conflicting_options': {
    meaning: 'Options or arguments exclude each other.',
    remedy: 'Leave out the one that the message names.',
  },
  'usage.unknown_stream': {
    meaning: 'There is no such stream or job.',
    remedy: 'Take one of the names in the message.',
  },
  'usage.unknown_operation': {
    meaning: 'The Open API has no such operation.',
    remedy: 'See `plantsync call --list`.',
  },
  'usage.unknown_parameter': {
    meaning: 'The operation has no such parameter.',
    remedy: 'Take one of the names in the message.',
  },
  'usage.unknown_case': {
    meaning: 'There is no reject of this number.',
    remedy: 'See `plantsync rejects list --all`.',
  },
  'usage.unknown_store': {
    meaning: 'There is no such store.',
    remedy: 'Take one of the names in the message.',
  },
  'usage.unknown_role': {
    meaning: 'PostgreSQL has no role of this name.',
    remedy: 'Correct the name, or let an administrator make the role as the message says.',
  },
  'usage.unknown_run': {
    meaning: 'No run has this number, or no backfill runs under it.',
    remedy: 'See `plantsync status`, or the runs on the console.',
  },
  'usage.unknown_order': {
    meaning: 'The service was asked for no such backfill or replay, or has forgotten it since.',
    remedy: 'See the list of backfills on the console. The last 1,000 are kept.',
  },
  'usage.unreadable_body': {
    meaning: 'The body for `plantsync call` cannot be read as JSON.',
    remedy: 'Correct the file, and save it as UTF-8.',
  },
  'usage.wrong_notes': {
    meaning: 'A file of notes cannot be imported. No note of it was.',
    remedy: 'Correct the lines that the message names. `plantsync notes export` writes such a file.',
  },
  'usage.needs_redis': {
    meaning: 'The command needs Redis, and `redis.url` is not set.',
    remedy: 'Set `redis.url`, or do without the option.',
  },
  'usage.needs_influx': {
    meaning: 'The command is about an InfluxDB, and `influx.url` is not set.',
    remedy: 'Set `influx.url`.',
  },
  'usage.needs_console': {
    meaning: 'The command asks the running service, and `console.port` is not set.',
    remedy: 'Set `console.port` for the service and the command.',
  },
  'usage.no_workers': {
    meaning: 'No worker is there to do the work.',
    remedy: 'Start some with `plantsync run --role worker`.',
  },
  'usage.paused': {
    meaning: 'What is to run is paused.',
    remedy: 'Run `plantsync resume` first.',
  },
  'usage.nothing_kept': {
    meaning: 'No store keeps points of this range.',
    remedy: 'Choose a later range, or let the store keep points for longer.',
  },
  'usage.file_exists': {
    meaning: 'The file that is to be written is there already.',
    remedy: 'Give `--force` to replace it, or `--config FILE` to write another.',
  },
  'simulator.cannot_start': {
    meaning: 'The simulator cannot start.',
    remedy: 'Correct the option, file or port that the message names.',
  },
  'console.cannot_listen': {
    meaning: 'The port of the console cannot be listened to.',
    remedy: 'Set `console.port` or `console.host` to what is free on this machine.',
  },
  'console.no_answer': {
    meaning: 'The console of the service does not answer.',
    remedy: 'Check that the service runs, and that `console.port` is its port.',
  },
  'console.not_running': {
    meaning: 'The service is starting or ending, so the console cannot answer about the data.',
    remedy: 'Wait for what the message names. `/readyz` tells the same.',
  },
  'console.busy': {
    meaning: 'The console answers as many requests, or sends as many files, as it may at once.',
    remedy: 'Ask again in a while, or ask for less at once.',
  },
  'console.too_slow': {
    meaning:
      'The console did not find the answer in time: a store does not answer, or the question is too large.',
    remedy: 'Look whether the stores answer (`plantsync status`), or ask for a smaller range.',
  },
  'console.not_signed_in': {
    meaning: 'The page or the API was asked without the token, or with a wrong one.',
    remedy: 'Sign in on the page, or send the value of `console.token` as Bearer token.',
  },
  'console.wrong_token': {
    meaning: 'Somebody tried to sign in with a wrong token.',
    remedy: 'Give the value of `console.token`, or the content of the file of `console.tokenFile`.',
  },
  'console.needs_token': {
    meaning: 'The console listens to other machines and has no token, so it shows only its health.',
    remedy: 'Set `console.token` or `console.tokenFile`, or let `console.host` be `127.0.0.1`.',
  },
  'console.too_many_tries': {
    meaning: 'Too many wrong tokens came from one address.',
    remedy: 'Wait a minute, then try the right one.',
  },
  'console.wrong_host': {
    meaning: 'The request names a host that is not the console.',
    remedy: 'List the name that people use in `console.hosts`.',
  },
  'console.wrong_origin': {
    meaning: 'A page of another origin tried to change something.',
    remedy: 'Use the page of the console itself. Behind a proxy, list its name in `console.hosts`.',
  },
  'console.read_only': {
    meaning: 'The console may change nothing, because `console.readOnly` is set.',
    remedy: 'Use the command, or another console.',
  },
  'console.not_found': {
    meaning: 'The API has no such operation, or what it names does not exist.',
    remedy: 'See `/api/v1/openapi.json`.',
  },
  'file.missing': {
    meaning: 'A file or folder is not there.',
    remedy: 'Correct the path.',
  },
  'file.no_rights': {
    meaning: 'The user may not read or write a file, or the file system is read-only.',
    remedy: 'Correct the rights, or choose another path.',
  },
  'file.disk_full': {
    meaning: 'The disk of this machine is full.',
    remedy: 'Make room, or choose another path.',
  },
  'file.unusable': {
    meaning: 'A file cannot be used for another reason, which the message tells.',
    remedy: 'Correct the path, or look at the file system.',
  },
  'sync.mixed_versions': {
    meaning: 'A worker got a piece of work that it does not know.',
    remedy: 'Let all processes run the same version.',
  },
  'sync.too_many_rejects': {
    meaning:
      'A run met more entries that cannot be used than `limits.maxRejects` allows. The others are stored.',
    remedy: 'See `plantsync rejects list`; correct the cause, then `plantsync rejects replay`.',
  },
  'sync.polls_dropped': {
    meaning: 'PostgreSQL was away for so long that polled values were dropped. They cannot be read again.',
    remedy: 'Bring PostgreSQL back, or raise `limits.pollBufferValues` and `limits.pollBufferBytes`.',
  },
  'sync.outbox_full': {
    meaning:
      'A store was away for so long that the oldest polls waiting for it were dropped. PostgreSQL has them.',
    remedy: 'Bring the store back.',
  },
  'sync.job_overdue': {
    meaning: 'A job should have begun long ago, and no process runs it.',
    remedy: 'Check that a scheduler and workers run, that Redis is there, and that no job hangs.',
  },
  'sync.no_answer': {
    meaning: 'A server that plantsync depends on did not answer a look at it within 3 s.',
    remedy: 'Look whether the server hangs or is overloaded, and whether the network drops packets.',
  },
  'notify.unreachable': {
    meaning: 'A webhook or the address of the heartbeat cannot be reached, or does not answer in time.',
    remedy:
      'Correct the address of the webhook, or `heartbeat.url`, or bring the receiver back. Messages wait.',
  },
  'notify.refused': {
    meaning: 'A webhook or the address of the heartbeat answers with something else than success.',
    remedy: 'See the status in the message; correct address, secret or headers. Messages wait.',
  },
  'sync.worker_failed': {
    meaning: 'A worker could not do a piece of a backfill; the message has the reason.',
    remedy: 'Look at the log of the workers. The same command goes on from there.',
  },
  'interrupted.by_signal': {
    meaning: 'The command was ended by Ctrl-C, by a signal, or by the end of its terminal.',
    remedy: 'Run the same command again: it goes on from there.',
  },
  'interrupted.cancelled': {
    meaning: 'Somebody ended the backfill by `plantsync cancel`.',
    remedy: 'Run the same command again to go on. What is stored stays.',
  },
  'interrupted.output_closed': {
    meaning: 'The output of the command cannot be written: its reader has ended, or a disk is full.',
    remedy: 'Run it again, and write its output elsewhere.',
  },
  'internal.unexpected': {
    meaning: 'A fault of the program itself.',
    remedy: 'Report it with the message, the stack below it, and the version of plantsync.',
  },
} as const satisfies Record<string, CodeEntry>;
