import type { Environment } from '@model-gateway/service-kit';
import { z } from 'zod';
import type { EgressSettings } from './egress-proxy.ts';
import { type IsDirect, parseNoProxy } from './no-proxy.ts';

/** A problem never quotes the value, which may hold a password. */
const NO_PROXY_URL =
  'expected the URL of an HTTP proxy, such as http://proxy.example:3128, with %25 for % in its password';

const proxyUrl = z.string().transform((text, context) => {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url !== null && /^https?:$/.test(url.protocol) && isDecodable(url)) return url;
  context.addIssue({ code: 'custom', message: NO_PROXY_URL });
  return z.NEVER;
});

function isDecodable({ password, username }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

export const egressSettings = {
  HTTPS_PROXY: proxyUrl.optional(),
  HTTP_PROXY: proxyUrl.optional(),
  NO_PROXY: z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return parseNoProxy(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
        return z.NEVER;
      }
    }),
};

/** Adds settings under their usual names in lower case, which win, as in other programs. */
export function withProxyVariables(environment: Environment): Environment {
  const names = Object.keys(egressSettings);
  const lower = names.flatMap((name) => {
    const value = environment[name.toLowerCase()];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return { ...environment, ...Object.fromEntries(lower) };
}

export function egressSettingsOf(settings: {
  HTTPS_PROXY?: URL | undefined;
  HTTP_PROXY?: URL | undefined;
  NO_PROXY: IsDirect;
}): EgressSettings {
  const { HTTPS_PROXY: httpsProxy, HTTP_PROXY: httpProxy, NO_PROXY: isDirect } = settings;
  return { httpsProxy, httpProxy, isDirect };
}
