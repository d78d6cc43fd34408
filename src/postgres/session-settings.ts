/**
 * The settings of every session. Results rely on them, whatever the server, the database or the role sets.
 * Time-outs of locks and statements are set elsewhere (`boundsSql`).
 */
const settings: Readonly<Record<string, string>> = {
  // Forms in which values are read and written.
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  // 1 or more writes all digits of a double.
  extra_float_digits: '1',
  // How statements are read.
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // The catalog is searched before this schema, so no other schema can replace a function or an operator.
  search_path: 'public',
  // Statements are short. To compile them takes longer than it saves.
  jit: 'off',
  // How transactions behave.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  client_min_messages: 'warning',
};

/** The statements that give a session these settings. */
export const sessionSettings = Object.entries(settings)
  .map(
    ([name, value]) =>
      `set ${name} to ${name === 'search_path' || name === 'DateStyle' ? value : `'${value}'`}`,
  )
  .join('; ');
