import { agentsSdk } from './agents-sdk.ts';
import { aiSdk } from './ai-sdk.ts';
import { langchain } from './langchain.ts';
import { testClients } from './test-clients.ts';

testClients([...aiSdk, ...langchain, ...agentsSdk]);
