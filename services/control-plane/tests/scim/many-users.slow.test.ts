import { describeManyUsers } from './many-users.ts';

describeManyUsers(2_000);
