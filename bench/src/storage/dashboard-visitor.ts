import { randomBytes } from 'node:crypto';

const FETCH_MS = 60_000;

/** A visitor who signs up at a dashboard and reads its pages. */
export class DashboardVisitor {
  readonly email = `bench-${randomBytes(8).toString('hex')}@example.com`;
  #cookie = '';

  /** @param url the dashboard's public URL: it refuses requests of other origins. @throws if it refuses */
  async signUp(url: string): Promise<void> {
    const answer = await fetch(`${url}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ name: 'Bench', email: this.email, password: randomBytes(24).toString('hex') }),
      signal: AbortSignal.timeout(FETCH_MS),
    });
    if (!answer.ok)
      throw new Error(`the dashboard refuses to sign up: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    this.#cookie = answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0] ?? '')
      .join('; ');
  }

  get headers(): Record<string, string> {
    return { cookie: this.#cookie };
  }
}
