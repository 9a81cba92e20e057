import type { Prisma, PrismaClient } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import { z } from 'zod';
import { mapStoreFailure } from './map-store-failure.ts';

/** Change of a sign-in, with the request that made it. */
export interface SignInChange {
  /** Such as `passkey.added`. */
  action: string;
  email: string;
  /** Left out: somebody with a link for a password reset. */
  signInId?: string;
  /** Left out: the sign-in itself. */
  object?: { type: string; id: string; name: string };
  clientIp: string;
  requestId: string;
}

/** Change that the user made. */
export type UserChange = SignInChange & { signInId: string };

const MAX_ID_LENGTH = 100;
const MAX_TEXT_LENGTH = 200;

const deletedRows = z.array(
  z.object({
    position: z.bigint(),
    event_id: z.string(),
    action: z.string(),
    email: z.string(),
    sign_in_id: z.string().nullable(),
    object_type: z.string().nullable(),
    object_id: z.string().nullable(),
    object_name: z.string().nullable(),
    client_ip: z.string(),
    request_id: z.string(),
    changed_at: z.date(),
  }),
);

export type StoredSignInChange = z.output<typeof deletedRows>[number];

/** Stores a change for the audit log. Run it in the transaction of the change. */
export function insertChange(
  { dashboardSignInChange }: Pick<Prisma.TransactionClient, 'dashboardSignInChange'>,
  { object, ...change }: SignInChange,
) {
  const named = object && {
    objectType: object.type,
    objectId: object.id.slice(0, MAX_ID_LENGTH),
    objectName: object.name.slice(0, MAX_TEXT_LENGTH).replaceAll(/[\p{Cc}\p{Cs}]/gu, ' '),
  };
  return dashboardSignInChange.create({ data: { ...change, ...named, eventId: newId('aud') } });
}

/** Reads and deletes the changes that the audit log does not have yet. */
export class SignInChangeStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Delivers and deletes the oldest change after a position, skipping those that other processes deliver now.
   * The change stays if `deliver` fails.
   * @returns false if there was none
   * @throws DashboardError of `deliver`, service_unavailable
   */
  async takeNext(after: bigint, deliver: (change: StoredSignInChange) => Promise<unknown>): Promise<boolean> {
    return await mapStoreFailure(
      this.#prisma.$transaction(async (transaction) => {
        const rows = await transaction.$queryRaw`
          DELETE FROM dashboard_sign_in_changes WHERE position = (
            SELECT position FROM dashboard_sign_in_changes WHERE position > ${after}
            ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED)
          RETURNING *`;
        const [change] = deletedRows.parse(rows);
        if (change === undefined) return false;
        await deliver(change);
        return true;
      }),
    );
  }
}
