import type { CodeTexts } from './code-texts.ts';

/** What the platform refuses, sends or leaves unanswered, in Chinese. */
export const platformTexts: CodeTexts<'platform' | 'history'> = {
  'platform.unreachable': ['无法连接到平台', '请检查 `platform.baseUrl`、网络、防火墙和代理。'],
  'platform.tls_failed': [
    '平台的证书未被接受，或平台不接受我方证书',
    '请检查 `platform.caFile`、`platform.certFile` 以及证书中的主机名。',
  ],
  'platform.plain_http': [
    '地址写的是 https，而该端口使用明文 http',
    '请更正 `platform.baseUrl` 的协议或端口。',
  ],
  'platform.proxy_failed': ['代理拒绝转发到平台', '请检查 `platform.proxy`、其账号和规则。'],
  'platform.connection_broken': [
    '平台的应答尚未完整，连接就已断开，重试后依然如此',
    '请查看平台前面的网关及其日志。下一次运行会再试。',
  ],
  'platform.timeout': [
    '平台未及时给出完整应答',
    '请查看平台负载，或调大 `platform.requestTimeout`。历史数据会自动改用更小的窗口请求。',
  ],
  'platform.too_many_requests': [
    '平台暂时拒绝更多请求（HTTP 429）',
    '请调低 `platform.requestsPerSecond` 或 `platform.maxConcurrency`，或减少进程数。',
  ],
  'platform.overloaded': [
    '平台或其前面的网关表示过忙或尚未就绪',
    '请查看平台本身。若在高负载时发生，请调低 `platform.maxConcurrency`。',
  ],
  'platform.internal_error': ['平台报告自身内部故障', '请查看平台日志。下一次运行会再试。'],
  'platform.unauthorized': [
    '访问令牌刚刚更新，平台仍拒绝该操作',
    '请检查 `platform.appId`、`platform.secret` 以及应用的权限。',
  ],
  'platform.forbidden_operation': [
    '应用无权执行该操作（HTTP 403）',
    '请在平台上授予该权限，或关闭需要它的数据流。',
  ],
  'platform.wrong_secret': [
    '平台不为该应用和密钥发放访问令牌',
    '请更正 `platform.appId` 和 `platform.secret`。',
  ],
  'platform.not_authorized': [
    '授权步骤没有得到可用的授权码：尚无用户授权该应用',
    '请让用户在浏览器中授权该应用，然后重新发送请求。',
  ],
  'platform.wrong_address': [
    '该地址上应答的不是平台：发生重定向，或路径不存在',
    '请检查 `platform.baseUrl` 的主机和路径前缀。',
  ],
  'platform.web_page': [
    '应答是一个网页（例如网关的登录页），而不是 JSON',
    '请检查 `platform.baseUrl` 以及平台前面的设备。',
  ],
  'platform.malformed_reply': [
    '应答成功但不符合约定：JSON 损坏，或缺少成员',
    '请用 `plantsync call` 查看应答，并检查平台前面的网关。',
  ],
  'platform.odd_success': [
    '应答的状态为成功，内容却表示失败，且未说明原因',
    '请用 `plantsync call` 查看应答，并查看平台日志。',
  ],
  'platform.doubtful_list': [
    '列表为空，且应答令人怀疑。空列表会导致删除行，因此不予采信',
    '请用 `plantsync call` 查看该列表，并检查应用的权限。',
  ],
  'platform.no_values': [
    '应答中没有任何一个所请求的当前值',
    '请用 `plantsync call` 查看 `readCurrent` 的应答。',
  ],
  'platform.other_values': [
    '历史应答中的值所用的聚合函数与请求的不同',
    '请用 `plantsync call` 查看 `readHistory` 的应答。若平台不支持，请去掉 `aggregate`。',
  ],
  'platform.unusable_records': [
    '列表中的记录缺少主键，无法存储',
    '请用 `plantsync call` 查看该列表：平台的 Open API 版本可能不同。',
  ],
  'platform.not_found': ['平台表示该对象不存在', '请检查名称。已删除的对象会在下一次扫描其列表时移除。'],
  'platform.wrong_parameter': [
    '平台拒绝请求的参数（代码 800003）',
    '请对照 Open API 检查请求，并查看 `platform.dialect` 中的限制。',
  ],
  'platform.missing_parameter': ['请求缺少路径中的一部分，未发送', '请给出消息中提到的参数。'],
  'platform.unsafe_write': [
    '对数据表的修改会影响所有行或没有内容，未发送',
    '请给出条件和值；消息会说明缺少什么。',
  ],
  'platform.operation_failed': [
    '平台报告“操作失败”（代码 800001），或无理由地拒绝请求',
    '请查看消息和平台日志。只有所提到的项目被跳过。',
  ],
  'platform.reply_too_large': [
    '应答超过 `platform.maxBody`',
    '请调大 `platform.maxBody`。历史数据会自动改用更小的窗口请求。',
  ],
  'platform.request_too_large': [
    '平台或网关认为请求过大（HTTP 413）',
    '请一次少请求一些，或调大网关的限制。',
  ],
  'platform.clock_skew': ['平台与本机的时钟相差超过一分钟', '请用 NTP 校准两边的时钟。'],
  'platform.clock_unknown': ['平台没有给出自己的时间，无法比较时钟', '请让平台前面的网关转发 `Date` 头。'],
  'platform.times_without_zone': [
    '平台给出的时间不带时区偏移，且未配置时区',
    '请把 `platform.timezone` 设为这些时间的时区。',
  ],
  'history.bounds_ignored': [
    '平台返回了请求范围以外的行，且未证明数据完整',
    '请让平台遵守 `ge` 和 `lt`。在此之前不再读取该数据流。',
  ],
  'history.other_times': [
    '平台返回的时间与请求的不同，例如时区有误',
    '请设置 `platform.timezone` 或 `platform.dialect.zoneOverride`。',
  ],
  'history.series_unnamed': [
    '应答遗漏了一个序列，而平台对其他没有数据点的序列会列出名称',
    '该窗口不存储，保留为缺口。下一次运行会再次请求。',
  ],
  'history.window_spent': [
    '一个窗口用完了允许的请求次数，其应答仍不能证明完整',
    '请用 `plantsync call` 查看 `readHistory` 的应答。',
  ],
  'history.offset_ignored': [
    '某一秒内的行数可能多于平台返回的行数，因为 `offset` 在那里不起作用',
    '请调大 `limits.rowsPerRead`，使一次应答能容纳该序列一秒的数据。',
  ],
};
