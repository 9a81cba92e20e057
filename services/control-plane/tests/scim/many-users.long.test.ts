import { describeManyUsers } from './many-users.ts';

describeManyUsers(10_000);
