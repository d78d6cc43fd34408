import type { Cause } from '../../../sync/brief-reason.ts';
import type { MissingData, ProblemFacts, WhyMissing } from '../../../sync/status/problem-facts.ts';
import type { ProblemWords } from '../../../sync/status/problem-words.ts';
import type { CodeText } from './codes/code-texts.ts';

type Clock = (time: string) => string;
/** Returns what a code means. Undefined if nobody has translated it. */
type TextOf = (code: string | undefined) => CodeText | undefined;

/** Makes the Chinese words for problems. The English ones are those of the service. */
export function makeChineseWords(textOf: TextOf): ProblemWords {
  return {
    complete: (upTo, clock) =>
      upTo === undefined ? '一切均为最新；没有需要的历史数据' : `数据已完整存储至 ${clock(upTo)}`,
    problem: (facts, clock) => sayProblem(facts, { clock, textOf }),
    more: (count) => `另有 ${count} 个问题`,
    join: (sentences) => sentences.join('；'),
  };
}

interface Saying {
  readonly clock: Clock;
  readonly textOf: TextOf;
}

const failures: Readonly<Record<NonNullable<Cause['failure']>, string>> = {
  refused: '连接被拒绝',
  'unknown-host': '主机名无法解析',
  'no-way': '没有到达主机的路由',
  closed: '连接被关闭',
  'no-answer': '未及时应答',
};

/** Says a cause as far as it is known. Else it is what a server said. */
export function sayCause({ text, failure, code }: Cause, textOf: TextOf): string {
  if (failure !== undefined) return failures[failure];
  return textOf(code)?.[0] ?? `“${text}”`;
}

function sayProblem(facts: ProblemFacts, saying: Saying): string {
  const { clock, textOf } = saying;
  switch (facts.says) {
    case 'ledger-unread':
      return `无法读取台账：${sayCause(facts.cause, textOf)}`;
    case 'ledger-refused':
      return `无法打开台账：${sayCause(facts.cause, textOf)}`;
    case 'disk-full':
      return `${facts.title} 的磁盘自 ${clock(facts.since)} 起已满，无法存储`;
    case 'away': {
      const { name, title, since, behindSec, cause } = facts;
      const late = behindSec === undefined ? '' : `，已滞后 ${spanOf(behindSec)}`;
      return `${name === 'platform' ? '平台' : title} 自 ${clock(since)} 起不可用${late}：${sayCause(cause, textOf)}`;
    }
    case 'no-token':
      return `平台自 ${clock(facts.since)} 起不发放访问令牌：${sayCause(facts.cause, textOf)}`;
    case 'silent':
      return `${facts.host} 上的服务进程 ${facts.pid}（角色 ${facts.role}）自 ${clock(facts.since)} 起没有生命迹象`;
    case 'overdue':
      return `作业 ${facts.job} 已逾期 ${spanOf(facts.lateSec)}：应于 ${clock(facts.due)} 开始，却没有进程运行它`;
    case 'paused':
      return `${facts.target === '*' ? '全部工作' : facts.target} 自 ${clock(facts.since)} 起已暂停`;
    case 'missing':
      return sayMissing(facts, saying);
    case 'run-failed': {
      const { stream, begun, ended, cause } = facts;
      const said = { failed: '失败', partial: '只完成了一部分', lost: '随其进程丢失' }[ended];
      return `${stream} 于 ${clock(begun)} 开始的运行${said}${cause === undefined ? '' : `：${sayCause(cause, textOf)}`}`;
    }
    case 'differs': {
      const { title, points, series, found } = facts;
      return `${title} 与平台不一致：${clock(found)} 的核对发现 ${series} 个序列中有 ${points} 个点不同`;
    }
    case 'rejects':
      return `${facts.streams.join('、')} 有 ${facts.open} 个未处理的拒收`;
    case 'values-lost':
      return `PostgreSQL 不可用期间丢失了 ${facts.count} 个轮询值`;
    case 'nothing-read':
      return '尚未读取任何数据';
  }
}

function sayMissing({ stores, late, gaps, why }: MissingData, saying: Saying): string {
  const { clock } = saying;
  const parts = [
    ...(late === undefined || (late.bySec === undefined && gaps?.series === late.series)
      ? []
      : [
          late.bySec === undefined || late.since === undefined
            ? `有 ${late.series} 个序列滞后`
            : `有 ${late.series} 个序列自 ${clock(late.since)} 起滞后 ${spanOf(late.bySec)}`,
        ]),
    ...(gaps === undefined
      ? []
      : [`缺少 ${gaps.series} 个序列共 ${gaps.hours} 小时的数据，最早从 ${clock(gaps.oldest)} 开始`]),
  ];
  const because = why === undefined ? '' : `：${sayWhy(why, saying)}`;
  return `${stores.join('、')} ${parts.join('，并')}${because}`;
}

function sayWhy(why: WhyMissing, { clock, textOf }: Saying): string {
  switch (why.is) {
    case 'paused':
      return '历史数据已暂停';
    case 'no-service':
      return '没有正在运行的服务进程';
    case 'backfill':
      return '正在回填';
    case 'failed':
      return sayCause(why.cause, textOf);
    case 'unread': {
      const { series, others, cause, asideUntil, more } = why;
      const names = others > 0 ? `${series} 等 ${others + 1} 个序列` : series;
      const aside = asideUntil === undefined ? '' : `，${clock(asideUntil)} 之前不再尝试`;
      const rest = more > 0 ? `；运行记录中另有 ${more} 个原因` : '';
      return `${names} 无法读取${aside}：${sayCause(cause, textOf)}${rest}`;
    }
  }
}

/** Says what to do. Commands stand between backticks. */
export function sayRemedy(facts: ProblemFacts, text: CodeText | undefined): string {
  switch (facts.says) {
    case 'silent':
      return '进程被终止或已停止：请在那里启动 `plantsync run`；其日志中有更多信息。';
    case 'paused':
      return `可以继续时，请恢复，或运行 \`plantsync resume${facts.target === '*' ? '' : ` ${facts.target}`}\`。`;
    case 'missing':
      return facts.isServed
        ? '`plantsync gaps` 列出这些范围；服务会自行读取，也可运行 `plantsync sync history`。'
        : '`plantsync gaps` 列出这些范围；请启动 `plantsync run`，或运行 `plantsync sync history`。';
    case 'run-failed':
      return `\`plantsync status\` 显示其问题；\`plantsync sync ${facts.stream}\` 会再试一次。`;
    case 'differs':
      return '`plantsync status` 给出修复命令：带时间范围和 `--repair` 的 `plantsync verify`。';
    case 'rejects':
      return '请查看拒收列表，排除原因后重试，或运行 `plantsync rejects replay`。';
    case 'values-lost':
      return '请运行 `plantsync rejects list --stream current`；`plantsync rejects replay` 可了结这些条目。';
    case 'nothing-read':
      return '请启动 `plantsync run`，或运行 `plantsync sync`。';
    default:
      return text?.[1] ?? '请运行 `plantsync check`，它会指出问题所在。';
  }
}

/** Writes a span of time in its largest fitting unit, as the English words do. */
function spanOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 100) return `${whole} 秒`;
  if (whole < 100 * 60) return `${Math.round(whole / 60)} 分钟`;
  return whole < 48 * 3600 ? `${Math.round(whole / 3600)} 小时` : `${Math.round(whole / 86_400)} 天`;
}
