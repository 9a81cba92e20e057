import { addPool, type TestGateway } from '@model-gateway/test-kit';
import { type Person, signUpUnseen } from './act.ts';
import { makeUpUsage } from './make-up-usage.ts';
import type { TestBrowser, Visitor } from './open-browser.ts';
import { TIMEOUT_MS } from './timeouts.ts';

/** Two users, a month of usage and a team with a pool, so that every page has content. */
export interface DemoScene {
  /** Cookies of the owner's session. */
  cookies: Awaited<ReturnType<Visitor['context']['cookies']>>;
  teamId: string;
  requestId: string;
}

const OWNER: Person = { name: 'Ada Byron', email: 'ada@example.com', password: 'a password for the demo' };
const MEMBER: Person = {
  name: 'Grace Murray',
  email: 'grace.brewster.murray@research.navy.example.com',
  password: 'another demo password',
};

export async function createDemoScene(gateway: TestGateway, browser: TestBrowser): Promise<DemoScene> {
  const { admin } = gateway;
  await using owner = await browser.visit();
  await signUpUnseen(owner, OWNER);
  {
    await using member = await browser.visit();
    await signUpUnseen(member, MEMBER);
  }
  await makeUpUsage(gateway, OWNER.email);
  await addPool(admin, { kind: 'account', id: OWNER.email }, '25.00');
  const team = await admin.callOnce(TIMEOUT_MS, 'teams', 'createTeam', {
    account: OWNER.email,
    name: 'Search quality',
  });
  for (const { email } of [OWNER, MEMBER]) {
    await admin.callOnce(TIMEOUT_MS, 'teams', 'addSeat', { teamId: team.id, account: email });
  }
  await addPool(admin, { kind: 'team', id: team.id }, '40.00');
  await admin.callOnce(TIMEOUT_MS, 'accounts', 'createKey', {
    account: OWNER.email,
    name: 'Support bot, production',
  });
  const response = await owner.page.request.get(
    `/api/requests?fromMs=${Date.now() - 30 * 86_400_000}&toMs=${Date.now()}&limit=50`,
  );
  const { requests }: { requests: { requestId: string; costUsd: string }[] } = await response.json();
  const paid = requests.find(({ costUsd }) => Number(costUsd) > 0);
  if (paid === undefined) throw new Error('no demo request has cost anything');
  return { cookies: await owner.context.cookies(), teamId: team.id, requestId: paid.requestId };
}
