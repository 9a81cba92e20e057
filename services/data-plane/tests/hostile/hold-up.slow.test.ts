import { simulatedCatalog } from '@model-gateway/test-kit';
import { describeHoldUp } from './describe-hold-up.ts';
import { HOSTILE_BODIES, manyWrongMessages } from './hostile-body-families.ts';

describeHoldUp('while a hostile body arrives, other connections are answered as before', {
  families: HOSTILE_BODIES,
  document: simulatedCatalog,
  first: manyWrongMessages,
});
