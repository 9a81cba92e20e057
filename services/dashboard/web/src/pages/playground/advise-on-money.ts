import type { Team, TeamsResponse } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';
import { hasMoney } from '../teams/shown-pools.ts';
import type { Advice } from './advise-on-error.ts';

interface Payer {
  seatId: string | undefined;
  /** Completes "let … pay". */
  name: string;
  team: Team | undefined;
  /** True if some of the balance is not reserved. */
  hasMoney: boolean;
  /** True if there is any balance, even if all of it is reserved. */
  hasBalance: boolean;
}

/**
 * Lists what this account can do about a chat that its payer cannot pay.
 * @param response undefined: not known
 * @param seatId the seat that should have paid; undefined: the account
 * @param sellsCredit true if account holders buy credit
 */
export function adviseOnMoney(
  response: TeamsResponse | undefined,
  seatId: string | undefined,
  sellsCredit = false,
): Advice {
  const payers = response === undefined ? [] : payersOf(response);
  const payer = payers.find((each) => each.seatId === seatId);
  const others = payers.filter((each) => each !== payer && each.hasMoney);
  const source = response === undefined ? undefined : sourceFor(payer, response);
  const steps = ['Choose a free model'];
  if (payer?.hasMoney) steps.push('lower the maximum output in the settings');
  if (others.length > 0) steps.push(`let ${others.map(({ name }) => name).join(' or ')} pay`);
  if (source !== undefined) steps.push('move money to it');
  const asksSomebody = others.length === 0 && source === undefined;
  if (asksSomebody) steps.push(wayToMoney(payer, sellsCredit));
  return {
    text: `${steps.slice(0, -1).join(', ')} or ${steps.at(-1)}.`,
    link:
      source === undefined
        ? { to: '/dashboard/models?capability=chat&tier=free', label: 'See the free models' }
        : { to: `/dashboard/teams/${encodeURIComponent(source.id)}`, label: 'Move money' },
    ...(asksSomebody && payer?.team?.role !== 'member' && { needsOperator: true }),
  };
}

/** Returns true if the payer has any balance, reserved or not; also if that is unknown. */
export function canPay(response: TeamsResponse | undefined, seatId: string | undefined): boolean {
  if (response === undefined) return true;
  return payersOf(response).find((each) => each.seatId === seatId)?.hasBalance ?? true;
}

function payersOf({ accountPools, teams }: TeamsResponse): Payer[] {
  return [
    { seatId: undefined, name: 'your account', team: undefined, ...moneyIn(accountPools) },
    ...teams.flatMap((team) =>
      team.seats
        .filter(({ isOwn }) => isOwn)
        .map(({ id }) => ({
          seatId: id,
          name: `your seat in ${team.name}`,
          team,
          ...moneyIn(team.pools.filter(({ scope, ownerId }) => scope === 'team' || ownerId === id)),
        })),
    ),
  ];
}

function moneyIn(pools: readonly Pool[]) {
  const isUnlimited = pools.some(({ leftUsd }) => leftUsd === null);
  return {
    hasMoney: isUnlimited || pools.some(hasMoney),
    hasBalance: isUnlimited || pools.some(({ leftUsd }) => Number(leftUsd) > 0),
  };
}

/** Finds the team on whose page the account can move money to the payer. */
function sourceFor(payer: Payer | undefined, { accountPools, teams }: TeamsResponse): Team | undefined {
  if (payer?.team === undefined) {
    return teams.find(({ role, pools }) => role === 'owner' && pools.some(hasMoney));
  }
  return payer.team.role === 'owner' && accountPools.some(hasMoney) ? payer.team : undefined;
}

function wayToMoney(payer: Payer | undefined, sellsCredit: boolean): string {
  if (payer?.team?.role === 'member') return `ask the owner of ${payer.team.name} for money`;
  return sellsCredit ? 'buy credit' : 'ask your operator for money';
}
