import { randomBytes } from 'node:crypto';
import OpenAI from 'openai';
import { z } from 'zod';
import type { Check } from './report.ts';
import { attempts } from './smoke.ts';

const session = z.object({ user: z.object({ email: z.string() }) });
const createdKey = z.object({ rawKey: z.string() });

interface Urls {
  /** The address of the API, without /v1. */
  baseUrl: string;
  dashboardUrl: string;
}

/** Signs up, creates a key and calls a model; also checks that the API does not serve the dashboard. */
export async function smokeDashboard({ baseUrl, dashboardUrl }: Urls, check: Check): Promise<void> {
  await attempts(check)('dashboard', () => signUpAndCall({ baseUrl, dashboardUrl }));
}

async function signUpAndCall({ baseUrl, dashboardUrl }: Urls): Promise<string> {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('hex');
  const signedUp = await post(dashboardUrl, '/api/auth/sign-up/email', { name: 'Verify', email, password });
  const cookie = signedUp.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const who = session.parse(
    await (await fetch(`${dashboardUrl}/api/session`, { headers: { cookie } })).json(),
  );
  if (who.user.email !== email) throw new Error(`signed in as ${who.user.email}`);
  const created = await post(dashboardUrl, '/api/keys', { name: 'verify' }, cookie);
  const { rawKey } = createdKey.parse(await created.json());
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: rawKey, maxRetries: 0 });
  await client.chat.completions.create({
    model: 'simulated/chat-free',
    messages: [{ role: 'user', content: 'hello' }],
  });
  const elsewhere = await fetch(`${baseUrl}/dashboard/api-keys`);
  if (elsewhere.status !== 404)
    throw new Error(`/dashboard under the API's address answers ${elsewhere.status}`);
  return 'sign-up, key, call; 404 under the API’s address';
}

async function post(dashboardUrl: string, path: string, body: object, cookie = ''): Promise<Response> {
  const response = await fetch(`${dashboardUrl}${path}`, {
    method: 'POST',
    headers: { origin: dashboardUrl, 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}
