import type { CodeTexts } from './code-texts.ts';

/** What PostgreSQL, the ledger in it, InfluxDB and Redis refuse or lose, in Chinese. */
export const storeTexts: CodeTexts<'postgres' | 'ledger' | 'influx' | 'redis'> = {
  'postgres.unreachable': [
    '无法连接到 PostgreSQL',
    '请启动它，或更正 `postgres.url`。服务会等待并自行继续。',
  ],
  'postgres.connection_lost': [
    '与 PostgreSQL 的连接在使用中断开',
    '请查看数据库日志和网络。这项工作会重做。',
  ],
  'postgres.tls_failed': [
    'PostgreSQL 的证书未被接受',
    '请把 `postgres.caFile` 设为签发它的机构，或更正 `postgres.url` 中的主机名。',
  ],
  'postgres.wrong_password': [
    'PostgreSQL 拒绝该用户登录',
    '请更正 `postgres.url` 中的用户或 `postgres.password`，并查看数据库的 `pg_hba.conf`。',
  ],
  'postgres.missing_password': [
    'PostgreSQL 要求密码，但没有配置',
    '请设置 `postgres.password` 或 `postgres.passwordFile`。',
  ],
  'postgres.missing_database': ['服务器上没有这个数据库', '请创建它，或更正 `postgres.url`。'],
  'postgres.too_old': ['服务器版本低于 PostgreSQL 14', '请使用 PostgreSQL 14 或更高版本。'],
  'postgres.wrong_encoding': [
    '数据库的编码不是 UTF8',
    "请用 `encoding 'UTF8' template template0` 创建数据库。",
  ],
  'postgres.read_only': [
    '服务器不接受写入：它是副本，例如故障切换之后',
    '请让 `postgres.url` 指向主库，或列出所有服务器。该地址可写后，服务会自行继续。',
  ],
  'postgres.no_primary': [
    '`postgres.url` 中没有可写的服务器：各服务器不在线，或是副本',
    '请提升一个副本，或启动主库。有服务器可写后，服务会自行继续。',
  ],
  'postgres.old_timeline': [
    '有一台可写的服务器是故障切换之前的主库，或旧的副本',
    '请停止它，或使其成为副本（`pg_rewind`）。若是有意恢复，请重新启动 plantsync。',
  ],
  'postgres.other_system': [
    '`postgres.url` 中的服务器不是彼此的副本',
    '请让 `postgres.url` 只包含一个主库及其副本。',
  ],
  'postgres.no_free_connection': [
    '登录已被接受，但没有应答：连接池没有空闲连接，或服务器停滞',
    '请增大连接池的 `pool_size`（`default_pool_size`）：每个 plantsync 进程至少需要 3 个连接。',
  ],
  'postgres.unsupported_pooler': [
    '连接池为每个事务分配不同的会话，例如事务模式的 PgBouncer',
    '请直接连接服务器，或为该数据库设置 `pool_mode = session`。',
  ],
  'postgres.no_rights': ['该用户没有 plantsync 所需的权限', '请让管理员执行 `plantsync check` 给出的语句。'],
  'postgres.missing_table': ['程序所需的一个表不存在', '请运行 `plantsync migrate`。'],
  'postgres.other_table': [
    '一个表与其声明不同，且无法更新到一致',
    '请重命名或删除该表，然后重新同步该数据流。',
  ],
  'postgres.bad_name': ['模式或表的名称为空，或超出 PostgreSQL 允许的长度', '请选择其他名称。'],
  'postgres.disk_full': ['服务器的磁盘已满', '请在那里腾出空间。'],
  'postgres.out_of_memory': [
    '服务器没有足够内存执行语句',
    '请为服务器增加内存，或调低 `postgres.poolSize`。',
  ],
  'postgres.too_many_connections': [
    '服务器或该角色的连接数已用完',
    '请调大服务器的 `max_connections` 或角色的限制，或调低 `postgres.poolSize` 或进程数。',
  ],
  'postgres.locked': ['另一个会话占用锁的时间过长', '若该会话已挂起，请结束它。这项工作会重做。'],
  'postgres.conflict': [
    'PostgreSQL 因另一个事务而中止了本事务：死锁或串行化失败',
    '这项工作会重做。若一直如此，请查找写入这些表的其他程序。',
  ],
  'postgres.cancelled': [
    '语句被取消：由他人取消，或因连接池设置的限制',
    '请在那里把 `statement_timeout` 和 `transaction_timeout` 设为 0。',
  ],
  'postgres.restarting': [
    '服务器正在启动、停止，或结束了会话',
    '若是计划内的，无需处理，服务会自行继续。否则请查看数据库日志。',
  ],
  'postgres.refused_value': [
    'PostgreSQL 无法存放某个值，或它违反了表的约束',
    '消息中有列名。若表被手工改动过，请改回。',
  ],
  'postgres.refused_statement': [
    'PostgreSQL 因其他原因拒绝语句，消息中有其代码（SQLSTATE）',
    '请在 PostgreSQL 手册中查找该代码，并查看数据库日志。',
  ],
  'postgres.connect_failed': [
    '因其他原因无法连接到 PostgreSQL',
    '请查看消息和数据库日志：该端口上可能是别的程序。',
  ],
  'postgres.views_in_use': [
    '其他视图依赖于 BI 视图，因此 BI 视图无法更新',
    '请删除消息中提到的视图，运行 `plantsync migrate`，再重新创建它们。在此之前视图保持不变，数据照常存储。',
  ],
  'postgres.views_not_ours': [
    'BI 模式中有并非 plantsync 创建的表、视图或函数',
    '请把 `postgres.biSchema` 设为无人使用的模式，或删除它们。',
  ],
  'postgres.embedded_failed': [
    '内置 PostgreSQL 无法创建、启动或停止',
    '请查看 `postgres.dataDir` 中的 `server.log`，或设置 `postgres.url` 使用其他服务器。',
  ],
  'ledger.lease_ended': [
    '进程太久没有生命迹象，其工作可能已被其他进程接管',
    '无需处理：它会重新取得租约并继续。若经常发生，请查找会停顿的机器。',
  ],
  'ledger.newer_version': ['更新版本的程序已修改了台账', '请使用更新版本的程序。'],
  'ledger.unknown_store': [
    '台账中的 InfluxDB 与所配置的名称不同',
    '请说明是哪一种：同一台服务器用 `plantsync stores adopt`，另一台用 `plantsync stores add`。',
  ],
  'influx.unreachable': [
    '无法连接到 InfluxDB，或连接已断开',
    '请检查它是否运行、`influx.url` 是否正确。数据点会等待，稍后写入。',
  ],
  'influx.tls_failed': [
    'InfluxDB 的证书未被接受',
    '请把 `influx.caFile` 设为签发它的机构，或更正 `influx.url` 中的主机名。',
  ],
  'influx.not_influx': ['该地址上应答的不是 InfluxDB', '请检查 `influx.url`。'],
  'influx.wrong_version': [
    '服务器是 InfluxDB 1.x，而 `influx.version` 写的是 2 或 3',
    '请设置 `influx.version: 1` 和 `influx.database`。',
  ],
  'influx.unauthorized': [
    'InfluxDB 拒绝登录，或该账号没有权限',
    '请检查 `influx.username` 和 `influx.password`，或 `influx.token` 及其权限。',
  ],
  'influx.missing_database': [
    '数据库不存在：从未创建、已被删除，或名称不同',
    '请检查 `influx.database`。`plantsync sync` 会创建缺少的数据库并填充。',
  ],
  'influx.missing_bucket': ['组织中找不到该存储桶', '请创建它，给令牌读取权限，或更改 `influx.bucket`。'],
  'influx.missing_retention_policy': [
    '数据库中没有该保留策略',
    '请创建它，或更改 `influx.retentionPolicy`。',
  ],
  'influx.unmapped_bucket': [
    '数据点无法读回：没有数据库映射到该存储桶',
    '请用 `influx v1 dbrp create` 建立映射。',
  ],
  'influx.overloaded': [
    'InfluxDB 表示过忙或尚未就绪，重试后依然如此',
    '请查看其负载和日志。数据点会等待，稍后写入。',
  ],
  'influx.refused_points': [
    'InfluxDB 在一次请求中拒绝的数据点过多，无法逐一区分',
    '请先查看消息中的原因。单独被拒绝的数据点会成为拒收。',
  ],
  'influx.refused_write': ['InfluxDB 拒绝整个写入', '请检查地址，以及数据库或存储桶是否存在。'],
  'influx.refused_query': ['InfluxDB 拒绝查询', '请查看消息和服务器日志。'],
  'influx.removal_withheld': [
    '数据点没有删除，因为会影响其他写入者或保留策略的数据点',
    '请手工删除，或给 plantsync 一个单独的数据库。',
  ],
  'redis.unreachable': [
    '无法连接到 Redis，或它没有应答',
    '请启动它，或更正 `redis.url`、`redis.sentinels` 或 `redis.cluster`。服务会自行继续。',
  ],
  'redis.tls_failed': [
    'Redis 或哨兵的证书，或我们自己的证书未被接受',
    '请把 `redis.caFile` 设为签发它的机构，或更正主机名；我们自己的证书写入 `redis.certFile`。',
  ],
  'redis.wrong_kind': [
    '该选项用于另一种服务器：单机、哨兵或集群节点',
    '请使用消息中指出的 `redis.url`、`redis.sentinels` 或 `redis.cluster`。',
  ],
  'redis.unknown_master': ['哨兵没有监视此名称的主节点', '请更正 `redis.sentinels.master`。'],
  'redis.too_old': ['Redis 版本低于 5', '请使用更新的版本。'],
  'redis.wrong_password': ['Redis 或哨兵拒绝登录', '请更正消息中指出的用户或密码。'],
  'redis.no_rights': ['登录成功，但该用户没有权限', '请让管理员执行 `ACL SETUSER` 授予所需权限。'],
  'redis.noeviction': [
    'Redis 内存不足时可能丢弃作业和锁',
    '请在那里把 `maxmemory-policy` 设为 `noeviction`。',
  ],
  'redis.memory_full': ['Redis 的内存已满', '请在那里调大 `maxmemory`。'],
  'redis.lost_state': [
    'Redis 中队列的内容已丢失：锁过期，或作业被清空',
    '无需处理：计划会重新建立，丢失的轮次会再来。请勿清空该 Redis。',
  ],
  'redis.disk_failed': ['Redis 无法写入磁盘，恢复之前不接受写入', '请在那里腾出空间，或查看其日志。'],
  'redis.read_only': [
    '该 Redis 是副本，例如故障切换之后',
    '请让 `redis.url` 指向可写的那一台。服务会自行重新连接，并跟随哨兵。',
  ],
  'redis.no_replicas': [
    '主节点的副本少于其 `min-replicas-to-write`，不接受写入',
    '请恢复副本。被隔离的主节点在故障转移之前会处于这种状态。',
  ],
  'redis.loading': ['Redis 正在从磁盘载入数据', '请等待，它会自行结束。'],
  'redis.master_down': ['该 Redis 是副本，且已失去主节点', '请恢复主节点。'],
  'redis.cluster_down': ['Redis 集群不完整', '请恢复其他节点。'],
};
