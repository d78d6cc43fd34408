import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PlantsyncError } from '../../errors.ts';
import type { Access } from './access.ts';
import { makeSession, SESSION_COOKIE, SESSION_SEC } from './session.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Who may ask. `open`: everybody; it tells nothing about the plant. `health`: everybody, also under any
     * host name. Everything else needs to be signed in.
     */
    access?: 'open' | 'health';
  }
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The page comes from here alone, and runs no script or style that is written into it. */
const contentSecurity = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    manifestSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/** Lets every request pass through the rules of access, and adds what browsers need to keep them. */
export async function guard(app: FastifyInstance, access: Access): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: contentSecurity,
    // Older browsers read this one. It says the same as frame-ancestors.
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: false,
  });
  await app.register(cookie);
  app.addHook('onRequest', async (request) => {
    const { access: who } = request.routeOptions.config;
    if (who === 'health') return;
    access.checkHost(request);
    if (!READS.has(request.method)) access.checkOrigin(request);
    if (who !== 'open') await access.checkSignedIn(request);
  });
}

const signInBody = z.strictObject({ token: z.string().max(4096) });

/** Adds the routes by which a browser signs in and out. */
export function serveSessions(
  app: FastifyInstance,
  {
    access,
    token,
    root,
    clock,
  }: { access: Access; token: string | undefined; root: string; clock: () => number },
): void {
  const path = `${root}/session`;
  const options = { config: { access: 'open' } } as const;
  const keep = (request: FastifyRequest, reply: FastifyReply) => {
    if (token === undefined) return;
    const isSecure = request.headers['x-forwarded-proto'] === 'https';
    const attributes = { path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure } as const;
    reply.setCookie(SESSION_COOKIE, makeSession(token, clock()), { ...attributes, maxAge: SESSION_SEC });
  };
  app.get(path, options, async (request, reply) => {
    const signedIn = await access.isSignedIn(request);
    // Each visit makes the session longer.
    if (signedIn && request.cookies[SESSION_COOKIE] !== undefined) keep(request, reply);
    return { needsToken: access.needsToken, signedIn };
  });
  app.post(path, options, async (request, reply) => {
    const body = signInBody.safeParse(request.body);
    if (!body.success || !(await access.isToken(body.data.token, request.ip)))
      throw new PlantsyncError('console.wrong_token', 'this is not the value of console.token');
    keep(request, reply);
    return { needsToken: access.needsToken, signedIn: true };
  });
  app.delete(path, options, async (_request, reply) => {
    reply.clearCookie(SESSION_COOKIE, { path: '/' });
    return { needsToken: access.needsToken, signedIn: !access.needsToken };
  });
}
