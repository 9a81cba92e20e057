import { newId } from '@model-gateway/shared';
import { PrismaStore } from '../database/prisma-store.ts';
import { type AppendedEvent, appendEventSql } from './append-event-store.ts';

export class AttemptStore extends PrismaStore {
  /** Appends an event whose change, if any, is not in this transaction. Does nothing if its id exists. */
  async append({ id = newId('aud'), ...event }: AppendedEvent): Promise<void> {
    const append = appendEventSql({ ...event, id });
    await this.prisma
      .$executeRaw`SELECT ${append} WHERE NOT EXISTS (SELECT FROM audit_events WHERE id = ${id})`;
  }
}
