import { newId } from '@model-gateway/shared';
import { PrismaStore } from '../database/prisma-store.ts';
import { type AppendedEvent, appendEventSql } from './append-event-store.ts';

export class AttemptStore extends PrismaStore {
  /** Appends an event that is not written with a change. Does nothing if an event has its id. */
  async append({ id = newId('aud'), ...event }: AppendedEvent): Promise<void> {
    const append = appendEventSql({ ...event, id });
    await this.prisma
      .$executeRaw`SELECT ${append} WHERE NOT EXISTS (SELECT FROM audit_events WHERE id = ${id})`;
  }
}
