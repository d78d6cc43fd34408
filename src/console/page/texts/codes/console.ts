import type { CodeTexts } from './code-texts.ts';

/** What the console refuses, and how runs end, in Chinese. */
export const consoleTexts: CodeTexts<'usage' | 'console' | 'sync' | 'interrupted' | 'internal'> = {
  'usage.wrong_request': ['请求的参数或内容有误', '请更正所提到的内容。'],
  'usage.wrong_value': ['某个值不在允许范围内', '请更正该值。'],
  'usage.wrong_time': [
    '时间无法识别、缺少时区，或不在可查询的范围内',
    '请使用 `2024-05-01T00:00:00Z`、`2024-05-01`、`now`，或用 `-7d` 表示七天前。',
  ],
  'usage.unknown_stream': ['没有这个数据流或作业', '请使用列表中的名称。'],
  'usage.unknown_case': ['没有这个编号的拒收', '请查看拒收列表。'],
  'usage.unknown_store': ['没有这个数据库', '请使用列表中的名称。'],
  'usage.unknown_run': ['没有这个编号的运行，或它不是正在进行的回填', '请查看运行记录。'],
  'usage.unknown_order': [
    '服务没有接到这个回填或重放，或已不再保留',
    '请查看回填列表。最近 1,000 个会保留。',
  ],
  'usage.needs_redis': ['此操作需要 Redis，而 `redis.url` 未设置', '请设置 `redis.url`。'],
  'usage.needs_influx': ['此操作涉及 InfluxDB，而 `influx.url` 未设置', '请设置 `influx.url`。'],
  'usage.nothing_kept': ['没有数据库保留该范围的数据点', '请选择更晚的范围，或延长数据库的保留时间。'],
  'usage.paused': ['要运行的内容已暂停', '请先恢复。'],
  'console.not_running': ['服务正在启动或结束，控制台暂时无法回答数据问题', '请稍候。'],
  'console.busy': ['控制台正在应答的请求或文件已达上限', '请稍后再试，或一次少请求一些。'],
  'console.too_slow': [
    '控制台没有及时得到结果：数据库没有应答，或查询范围过大',
    '请在总览页查看数据库是否应答，或缩小范围。',
  ],
  'console.not_signed_in': ['未登录，或令牌不正确', '请登录。'],
  'console.wrong_token': ['令牌不正确', '请输入 `console.token` 的值，或 `console.tokenFile` 文件的内容。'],
  'console.needs_token': [
    '控制台向其他机器开放却没有令牌，因此只显示健康状态',
    '请设置 `console.token` 或 `console.tokenFile`，或把 `console.host` 设为 `127.0.0.1`。',
  ],
  'console.too_many_tries': ['同一地址输入错误令牌的次数过多', '请等待一分钟，再输入正确的令牌。'],
  'console.wrong_host': ['请求中的主机名不是本控制台', '请把人们使用的名称写入 `console.hosts`。'],
  'console.wrong_origin': [
    '来自其他网站的页面试图修改内容，已被拒绝',
    '请使用控制台自己的页面。若在代理之后，请把其名称写入 `console.hosts`。',
  ],
  'console.read_only': ['控制台为只读，不能修改任何内容', '请使用命令，或使用另一个控制台。'],
  'console.not_found': ['没有这个操作，或所指的内容不存在', '请检查名称。'],
  'sync.mixed_versions': ['工作进程收到了它不认识的工作', '请让所有进程运行同一版本。'],
  'sync.too_many_rejects': [
    '一次运行中无法使用的条目多于 `limits.maxRejects`。其余已存储',
    '请查看 `plantsync rejects list`，排除原因后运行 `plantsync rejects replay`。',
  ],
  'sync.polls_dropped': [
    'PostgreSQL 不可用太久，部分轮询值已丢弃，无法再次读取',
    '请恢复 PostgreSQL，或调大 `limits.pollBufferValues` 和 `limits.pollBufferBytes`。',
  ],
  'sync.outbox_full': [
    '某个数据库不可用太久，等待它的最早一批轮询已丢弃。PostgreSQL 中仍有这些数据',
    '请恢复该数据库。',
  ],
  'sync.job_overdue': [
    '某个作业早该开始，却没有进程运行它',
    '请检查调度进程和工作进程是否运行、Redis 是否可用、是否有作业挂起。',
  ],
  'sync.no_answer': ['所依赖的一台服务器在 3 秒内没有应答', '请查看该服务器是否挂起或过载，网络是否丢包。'],
  'sync.worker_failed': [
    '工作进程未能完成回填的一部分',
    '请查看工作进程的日志。再次执行同一操作会从该处继续。',
  ],
  'interrupted.by_signal': ['被信号或终端中断', '再次执行同一命令，会从该处继续。'],
  'interrupted.cancelled': ['有人取消了回填', '再次开始即可继续。已存储的数据会保留。'],
  'internal.unexpected': ['程序自身的故障', '请连同消息和 plantsync 的版本一起报告。'],
};
