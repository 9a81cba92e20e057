import { jsonPath, plainWords } from '@model-gateway/shared';
import type { z } from 'zod';
import { parseCatalogFile } from '../catalog-file/parse-catalog-file.ts';
import { CommandFailure } from '../command-failure.ts';
import { type GatewayFile, gatewayFile } from './gateway-file.ts';

/**
 * Reads the file of `gatewayctl apply`: YAML or JSON.
 * @param source name of the file in messages
 * @throws CommandFailure with a line for each problem
 */
export function readGatewayFile(text: string, source: string): GatewayFile {
  const { content, lineOf } = parseCatalogFile(text, source);
  const parsed = gatewayFile.safeParse(content, { error: plainWords });
  const problems = parsed.success ? duplicates(parsed.data) : parsed.error.issues.flatMap(problemsOf);
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new CommandFailure(
    problems.map(
      ({ path, message }) => `${source}:${lineOf(path)}: ${path === '' ? '' : `${path}: `}${message}`,
    ),
    { code: 'invalid_file' },
  );
}

interface Problem {
  path: string;
  message: string;
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: jsonPath(issue.path), message: issue.message }];
  return issue.keys.map((key) => ({ path: jsonPath([...issue.path, key]), message: 'is an unknown field' }));
}

/** Finds names that a list has twice: each name stands for one object. */
function duplicates({ accounts, webhooks }: GatewayFile): Problem[] {
  const found: Problem[] = [];
  const check = (path: string, names: readonly string[] | undefined) => {
    for (const [index, name] of (names ?? []).entries()) {
      if (names?.indexOf(name) !== index)
        found.push({ path: `${path}[${index}]`, message: `${name} is there twice` });
    }
  };
  const owned = (path: string, owner: Partial<Record<'keys' | 'pools', { name: string }[] | undefined>>) => {
    check(
      `${path}.keys`,
      owner.keys?.map(({ name }) => name),
    );
    check(
      `${path}.pools`,
      owner.pools?.map(({ name }) => name),
    );
  };
  check(
    'webhooks',
    webhooks?.map(({ url }) => url),
  );
  check(
    'accounts',
    accounts.map(({ email }) => email),
  );
  for (const [index, { members, teams = [], ...account }] of accounts.entries()) {
    const path = `accounts[${index}]`;
    owned(path, account);
    check(
      `${path}.webhooks`,
      account.webhooks?.map(({ url }) => url),
    );
    check(
      `${path}.members`,
      members?.map(({ email }) => email),
    );
    check(
      `${path}.teams`,
      teams.map(({ name }) => name),
    );
    for (const [place, { pools, seats = [] }] of teams.entries()) {
      const teamPath = `${path}.teams[${place}]`;
      owned(teamPath, { pools });
      check(
        `${teamPath}.seats`,
        seats.map(({ account }) => account),
      );
      for (const [seat, one] of seats.entries()) owned(`${teamPath}.seats[${seat}]`, one);
    }
  }
  return found;
}
