import type { CodeEntry } from './code-entry.ts';

/** What the platform refuses, sends or leaves unanswered; and what its history shows. */
export const platformCodes = {
  'platform.unreachable': {
    meaning: 'No connection to the platform can be made.',
    remedy: 'Check `platform.baseUrl`, the network, the firewall and the proxy.',
  },
  'platform.tls_failed': {
    meaning: 'The certificate of the platform is not accepted, or the platform does not accept ours.',
    remedy: 'Check `platform.caFile`, `platform.certFile` and the host name in the certificate.',
  },
  'platform.plain_http': {
    meaning: 'The address says https, and the port speaks plain http.',
    remedy: 'Correct the scheme or the port of `platform.baseUrl`.',
  },
  'platform.proxy_failed': {
    meaning: 'The proxy refuses the way to the platform.',
    remedy: 'Check `platform.proxy`, its login and its rules.',
  },
  'platform.connection_broken': {
    meaning:
      'A connection to the platform broke before the reply was complete, also when it was tried again.',
    remedy: 'Look at the gateways before the platform and at its log. The next run tries again.',
  },
  'platform.timeout': {
    meaning: 'The platform gave no complete reply in time.',
    remedy:
      'Look at the load of the platform, or raise `platform.requestTimeout`. History is asked for in smaller windows.',
  },
  'platform.too_many_requests': {
    meaning: 'The platform refuses more requests for the moment (HTTP 429).',
    remedy: 'Lower `platform.requestsPerSecond` or `platform.maxConcurrency`, or run fewer processes.',
  },
  'platform.overloaded': {
    meaning:
      'The platform, or a gateway before it, says that it is too busy or not ready (HTTP 408, 425, 503, 504).',
    remedy: 'Look at the platform itself. Lower `platform.maxConcurrency` if it happens under load.',
  },
  'platform.internal_error': {
    meaning: 'The platform says that it failed by a fault of its own (HTTP 5xx, or its code 800002).',
    remedy: 'Look at the log of the platform. The next run tries again.',
  },
  'platform.unauthorized': {
    meaning: 'The platform refuses an operation although the access token was just renewed.',
    remedy: 'Check `platform.appId`, `platform.secret` and the rights of the application.',
  },
  'platform.forbidden_operation': {
    meaning: 'The application may not use this operation (HTTP 403).',
    remedy: 'Give the application the right to it on the platform, or switch off the stream that needs it.',
  },
  'platform.wrong_secret': {
    meaning: 'The platform gives no access token for this application and secret.',
    remedy: 'Correct `platform.appId` and `platform.secret`.',
  },
  'platform.not_authorized': {
    meaning: 'The authorize step brought no code that can be used: no user has authorized the application.',
    remedy: 'Let a user authorize the application in a browser, then send the request again.',
  },
  'platform.wrong_address': {
    meaning: 'Something else answers at this address: a redirection, or a path that is not there.',
    remedy: 'Check the host and the path prefix of `platform.baseUrl`.',
  },
  'platform.web_page': {
    meaning: 'The reply is a web page, such as the login page of a gateway, and no JSON.',
    remedy: 'Check `platform.baseUrl` and what stands before the platform.',
  },
  'platform.malformed_reply': {
    meaning: 'A successful reply is not what the contract says: broken JSON, or a member is missing.',
    remedy: 'Look at the reply with `plantsync call`, and at the gateways before the platform.',
  },
  'platform.odd_success': {
    meaning: 'A reply with the status of a success tells of a failure, and does not say which one.',
    remedy: 'Look at the reply with `plantsync call`, and at the log of the platform.',
  },
  'platform.doubtful_list': {
    meaning:
      'A list is empty, and its reply casts doubt on it. An empty list would delete rows, so it is not believed.',
    remedy: 'Look at the list with `plantsync call`, and at the rights of the application.',
  },
  'platform.no_values': {
    meaning: 'A reply holds not one of the current values that were asked for.',
    remedy: 'Look at the reply of `readCurrent` with `plantsync call`.',
  },
  'platform.other_values': {
    meaning: 'A reply of history holds values of another function than the one that was asked for.',
    remedy:
      'Look at the reply of `readHistory` with `plantsync call`. Leave `aggregate` out if the platform cannot do it.',
  },
  'platform.unusable_records': {
    meaning: 'The records of a list lack their key, so that nothing of them can be stored.',
    remedy: 'Look at the list with `plantsync call`: the platform may speak another version of the Open API.',
  },
  'platform.not_found': {
    meaning: 'The platform says that the named thing does not exist.',
    remedy: 'Check the name. Something that was deleted leaves with the next scan of its list.',
  },
  'platform.wrong_parameter': {
    meaning: 'The platform refuses the parameters of a request (its code 800003).',
    remedy: 'Compare the request with the Open API, and look at the limits in `platform.dialect`.',
  },
  'platform.missing_parameter': {
    meaning: 'A request lacks a part of its path. Nothing was sent.',
    remedy: 'State the parameter that the message names.',
  },
  'platform.unsafe_write': {
    meaning: 'A change of a datatable would hit every row, or says nothing. Nothing was sent.',
    remedy: 'State a condition and values; the message names what is missing.',
  },
  'platform.operation_failed': {
    meaning: 'The platform says "operation failed" (its code 800001) or refuses a request without a reason.',
    remedy: 'Look at the message and the log of the platform. Only the named item is left out.',
  },
  'platform.reply_too_large': {
    meaning: 'A reply is larger than `platform.maxBody`.',
    remedy: 'Raise `platform.maxBody`. History is asked for in smaller windows by itself.',
  },
  'platform.request_too_large': {
    meaning: 'The platform, or a gateway before it, finds a request too large (HTTP 413).',
    remedy: 'Ask for less at once, or raise the limit of the gateway.',
  },
  'platform.clock_skew': {
    meaning: 'The clocks of the platform and of this machine differ by more than a minute.',
    remedy: 'Set both clocks by NTP.',
  },
  'platform.clock_unknown': {
    meaning: 'The platform did not tell its time, so that the clocks cannot be compared.',
    remedy: 'Let the gateways before the platform pass the header `Date` on.',
  },
  'platform.times_without_zone': {
    meaning: 'The platform sends times without an offset, and no zone is configured.',
    remedy: 'Set `platform.timezone` to the zone of these times.',
  },
  'history.bounds_ignored': {
    meaning:
      'The platform sends rows outside of the range that was asked for, and does not prove that these are all.',
    remedy: 'Let the platform keep `ge` and `lt`. Until then nothing more of this stream is read.',
  },
  'history.other_times': {
    meaning: 'The platform sends other times than it is asked for, as with a wrong time zone.',
    remedy: 'Set `platform.timezone` or `platform.dialect.zoneOverride`.',
  },
  'history.series_unnamed': {
    meaning: 'A reply leaves a series out, although the platform names other series that have no points.',
    remedy: 'Nothing is stored of the window, and it stays a gap. The next run asks again.',
  },
  'history.window_spent': {
    meaning: 'A window took all the requests that it may take, and its replies prove nothing.',
    remedy:
      'See [What proves that a window is complete](data.md#what-proves-that-a-window-is-complete). Look at the replies of `readHistory` with `plantsync call`.',
  },
  'history.offset_ignored': {
    meaning: 'One second may hold more rows than the platform sent, because `offset` has no effect there.',
    remedy: 'Raise `limits.rowsPerRead`, so that one reply holds a second of the series.',
  },
} as const satisfies Record<string, CodeEntry>;
