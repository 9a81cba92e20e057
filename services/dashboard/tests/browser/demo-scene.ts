import { addPool, type TestGateway } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { type Person, signInUnseen, signUpUnseen } from './act.ts';
import { makeUpUsage } from './make-up-usage.ts';
import type { TestBrowser, Visitor } from './open-browser.ts';
import { TIMEOUT_MS } from './timeouts.ts';

/** Two users, a month of usage and a team with a pool, so that every page has content. */
export interface DemoScene {
  /** Cookies of the owner's session. */
  cookies: Cookies;
  /** Cookies of an operator's session. */
  operatorCookies: Cookies;
  accountId: string;
  teamId: string;
  /** Seat of the member, with a budget. */
  seatId: string;
  /** With rules of its own and of the account. */
  keyId: string;
  requestId: string;
  /** Webhook of the account. It has no delivery. */
  webhookId: string;
  /** With an exception of fixed prices. */
  priceListId: string;
}

type Cookies = Awaited<ReturnType<Visitor['context']['cookies']>>;

const OWNER: Person = { name: 'Ada Byron', email: 'ada@example.com', password: 'a password for the demo' };
const MEMBER: Person = {
  name: 'Grace Murray',
  email: 'grace.brewster.murray@research.navy.example.com',
  password: 'another demo password',
};

const OPERATOR: Person = {
  name: 'Joan Clarke',
  email: 'joan@example.com',
  password: 'a third demo password',
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
  await admin.callOnce(TIMEOUT_MS, 'teams', 'addSeat', { teamId: team.id, account: OWNER.email });
  const seat = await admin.callOnce(TIMEOUT_MS, 'teams', 'addSeat', {
    teamId: team.id,
    account: MEMBER.email,
  });
  const invited = { account: OWNER.email, email: 'katherine@example.com', role: 'viewer' };
  await admin.callOnce(TIMEOUT_MS, 'members', 'inviteMember', invited);
  const added = { account: OWNER.email, email: MEMBER.email, role: 'developer', name: '' };
  await admin.callOnce(TIMEOUT_MS, 'members', 'addMember', added);
  await addPool(admin, { kind: 'team', id: team.id }, '40.00');
  const { key } = await admin.callOnce(TIMEOUT_MS, 'accounts', 'createKey', {
    account: OWNER.email,
    name: 'Support bot, production',
    tags: { project: 'support', env: 'production' },
  });
  const keyId = key?.id ?? '';
  await setDemoRules(gateway, { keyId, seatId: seat.id });
  const response = await owner.page.request.get(
    `/api/requests?fromMs=${Date.now() - 30 * 86_400_000}&toMs=${Date.now()}&limit=50`,
  );
  const { requests }: { requests: { requestId: string; costUsd: string }[] } = await response.json();
  const paid = requests.find(({ costUsd }) => Number(costUsd) > 0);
  if (paid === undefined) throw new Error('no demo request has cost anything');
  const webhook = await admin.callOnce(TIMEOUT_MS, 'webhooks', 'createWebhook', {
    account: OWNER.email,
    url: 'https://hooks.example.com/gateway',
    events: ['budget.threshold_reached', 'account.suspended'],
    description: 'Support desk',
  });
  const prices = { input_per_million_usd: '5.50', output_per_million_usd: '33' };
  const terms = {
    factor: '1.2',
    models: [
      { model: 'sim/chat-pro', pricing: prices },
      { model: 'sim/*', factor: '1' },
    ],
  };
  const { listJson } = await admin.callOnce(TIMEOUT_MS, 'catalog', 'createPriceList', {
    name: 'Partners',
    version: { termsJson: JSON.stringify(terms) },
  });
  return {
    cookies: await owner.context.cookies(),
    operatorCookies: await createOperator(gateway, browser),
    accountId: key?.accountId ?? '',
    ...{ teamId: team.id, seatId: seat.id, keyId, requestId: paid.requestId },
    webhookId: webhook.webhook?.id ?? '',
    priceListId: JSON.parse(listJson).id,
  };
}

async function createOperator({ admin, databaseUrl }: TestGateway, browser: TestBrowser): Promise<Cookies> {
  await using operator = await browser.visit();
  const { email } = OPERATOR;
  await signUpUnseen(operator, OPERATOR);
  await using sql = openSql(databaseUrl);
  await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', email);
  await admin.call(TIMEOUT_MS, 'members', 'grantRole', { email, role: 'operator' });
  await signInUnseen(operator, OPERATOR);
  return await operator.context.cookies();
}

async function setDemoRules(
  { admin }: TestGateway,
  { keyId, seatId }: { keyId: string; seatId: string },
): Promise<void> {
  const rules: [owner: { kind: string; id: string; endUser?: string }, rules: object][] = [
    [
      { kind: 'key', id: keyId },
      {
        budgets: [
          { usd: '2.00', window: 'day' },
          { usd: '25.00', window: 'month', on_exceed: 'warn' },
        ],
        models: ['sim/*', 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
        networks: ['203.0.113.0/24', '2001:db8:12::/48'],
        tokens_per_minute: 200_000,
        expires_at: '2099-12-31T18:00:00Z',
      },
    ],
    [
      { kind: 'account', id: OWNER.email },
      { endpoints: ['chat', 'embeddings'], streams: 20 },
    ],
    [{ kind: 'seat', id: seatId }, { budgets: [{ usd: '100.00', window: 'month' }] }],
    [{ kind: 'end_users', id: OWNER.email }, { budgets: [{ usd: '3.00', window: 'month' }] }],
    [
      { kind: 'end_user', id: OWNER.email, endUser: 'customer-17' },
      { budgets: [{ usd: '40.00', window: 'month' }], requests_per_minute: 30 },
    ],
  ];
  for (const [owner, each] of rules) {
    await admin.call(TIMEOUT_MS, 'rules', 'setRules', { owner, rulesJson: JSON.stringify(each) });
  }
}
