import type { Team, TeamsAnswer } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';
import { hasMoney } from '../teams/shown-pools.ts';
import type { Advice } from './advice-of.ts';

interface Payer {
  seatId: string | undefined;
  /** The name, as in "let … pay". */
  name: string;
  team: Team | undefined;
  /** True if there is money that can be used now. */
  hasMoney: boolean;
  /** True if there is money at all, even if it is reserved for requests at this moment. */
  hasBalance: boolean;
}

/**
 * Returns advice for a chat that cannot be paid; only things that this account can do.
 * @param answer undefined: not known
 * @param seatId the seat that should have paid; undefined: the account
 */
export function moneyAdvice(answer: TeamsAnswer | undefined, seatId: string | undefined): Advice {
  const payers = answer === undefined ? [] : payersOf(answer);
  const payer = payers.find((each) => each.seatId === seatId);
  const others = payers.filter((each) => each !== payer && each.hasMoney);
  const source = answer === undefined ? undefined : sourceFor(payer, answer);
  const steps = ['Choose a free model'];
  if (payer?.hasMoney) steps.push('ask for a shorter answer in the settings');
  if (others.length > 0) steps.push(`let ${others.map(({ name }) => name).join(' or ')} pay`);
  if (source !== undefined) steps.push('move money to it');
  const asksSomebody = others.length === 0 && source === undefined;
  if (asksSomebody) steps.push(whomToAsk(payer));
  return {
    text: `${steps.slice(0, -1).join(', ')} or ${steps.at(-1)}.`,
    link:
      source === undefined
        ? { to: '/dashboard/models?capability=chat&tier=free', label: 'See the free models' }
        : { to: `/dashboard/teams/${encodeURIComponent(source.id)}`, label: 'Move money' },
    ...(asksSomebody && payer?.team?.role !== 'member' && { needsOperator: true }),
  };
}

/**
 * Returns true if the payer has any money, even if it is reserved at this moment. If that is not known, yes.
 * @param answer undefined: not known
 */
export function canPay(answer: TeamsAnswer | undefined, seatId: string | undefined): boolean {
  if (answer === undefined) return true;
  return payersOf(answer).find((each) => each.seatId === seatId)?.hasBalance ?? true;
}

function payersOf({ accountPools, teams }: TeamsAnswer): Payer[] {
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
  return { hasMoney: pools.some(hasMoney), hasBalance: pools.some(({ leftUsd }) => Number(leftUsd) > 0) };
}

/** A team of the account, on whose page money can be moved to the payer; undefined: there is none to move. */
function sourceFor(payer: Payer | undefined, { accountPools, teams }: TeamsAnswer): Team | undefined {
  if (payer?.team === undefined) {
    return teams.find(({ role, pools }) => role === 'owner' && pools.some(hasMoney));
  }
  return payer.team.role === 'owner' && accountPools.some(hasMoney) ? payer.team : undefined;
}

function whomToAsk(payer: Payer | undefined): string {
  return payer?.team?.role === 'member'
    ? `ask the owner of ${payer.team.name} for money`
    : 'ask your operator for money';
}
