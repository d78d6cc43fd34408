import { requiredParameter, textParameter } from '../query.ts';
import { parameterError } from '../refused-call.ts';
import { type Call, type Handler, pathParameter } from '../world.ts';

function requireValue(call: Call, name: string, value: string): void {
  if (requiredParameter(call.query, name) !== value) throw parameterError(`${name} must be ${value}`);
}

export const getClientAccessToken: Handler = async ({ tokens }, call) => {
  requireValue(call, 'grantType', 'client_credential');
  tokens.checkApplication(requiredParameter(call.query, 'appid'), requiredParameter(call.query, 'secret'));
  return { body: await tokens.grant('client') };
};

export const refreshClientToken: Handler = async ({ tokens }, { query }) => ({
  body: await tokens.refresh('client', requiredParameter(query, 'refreshToken')),
});

/**
 * Authorizes the application, as if the user had agreed. The code is in the redirection, or the simulator
 * tells it.
 */
export const authorizeCode: Handler = ({ tokens, dialect }, call) => {
  requireValue(call, 'responseType', 'code');
  tokens.checkAppId(requiredParameter(call.query, 'appid'));
  const redirectUri = requiredParameter(call.query, 'redirectUri');
  if (!URL.canParse(redirectUri)) throw parameterError('redirectUri must be a URL');
  const code = tokens.authorize();
  if (dialect.authorizeReply === 'ok') return {};
  const target = new URL(redirectUri);
  target.searchParams.set('code', code);
  const state = textParameter(call.query, 'state');
  if (state !== undefined) target.searchParams.set('state', state);
  return { status: 302, headers: { location: target.href } };
};

/** Grants tokens for a code. The secret may be left out, but a given secret must be right. */
export const getCodeAccessToken: Handler = async ({ tokens }, call) => {
  requireValue(call, 'grantType', 'authorization_code');
  const appId = requiredParameter(call.query, 'appid');
  const secret = textParameter(call.query, 'secret');
  if (secret === undefined) tokens.checkAppId(appId);
  else tokens.checkApplication(appId, secret);
  tokens.redeem(requiredParameter(call.query, 'code'));
  return { body: await tokens.grant('code') };
};

export const refreshCodeToken: Handler = async ({ tokens }, { query }) => ({
  body: await tokens.refresh('code', requiredParameter(query, 'refreshToken')),
});

export const getTokenUsername: Handler = ({ tokens }, call) => ({
  body: { userName: tokens.usernameOf(pathParameter(call, 'accessToken')) },
});
