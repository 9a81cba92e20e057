import type { gatewayProto } from '@model-gateway/contracts';
import type { AccountRole, InstallationRole, Scope } from '@model-gateway/shared/access';

/** Kind of caller. Operators have ADMIN_TOKEN; all other callers INTERNAL_TOKEN. */
export type Caller = 'operator' | 'dashboard' | 'data-plane' | 'anyone';

export interface RpcAccess {
  callers: readonly Caller[];
  /** Scope that a key of the management API needs to make an operator's call over HTTP. */
  scope?: Scope;
  /** Lowest role of the user in the account in which it acts; absent: a call of a dashboard needs none. */
  role?: AccountRole;
  /** True: users with a role in the installation may make the call for any account, as its owner. */
  isViewable?: boolean;
  /** Role of the user in the installation; an operator may do what an auditor may. */
  installation?: InstallationRole;
}

type Proto = typeof gatewayProto;
type Definitions = {
  [Name in keyof Proto as Proto[Name] extends { service: object } ? Name : never]: Proto[Name] extends {
    service: infer Definition;
  }
    ? Definition
    : never;
};
/** Names of a service's RPCs: its keys without the index signature. */
type RpcOf<Definition> = keyof {
  [Name in keyof Definition as string extends Name ? never : number extends Name ? never : Name]: true;
};
type AccessTable = {
  [Service in keyof Definitions]: { [Rpc in RpcOf<Definitions[Service]>]: RpcAccess };
};

const forDataPlanes: RpcAccess = { callers: ['data-plane'] };
/** Access to calls before a sign-in has an account, or about another account than the active one. */
const forSignIns: RpcAccess = { callers: ['dashboard'] };
const forAuditors: RpcAccess = { callers: ['dashboard'], installation: 'auditor' };
const forOperators = (scope: Scope): RpcAccess => ({ callers: ['operator'], scope });
const forBoth = (scope: Scope): RpcAccess => ({ callers: ['data-plane', 'operator'], scope });
const forRole = (role: AccountRole): RpcAccess => ({ callers: ['dashboard'], role });
const viewable = (role: AccountRole): RpcAccess => ({ ...forRole(role), isViewable: true });

/** Access to every RPC. The type requires an entry for each; docs/roles.md shows them. */
export const RPC_ACCESS = {
  AccountService: {
    CreateAccount: forOperators('accounts:write'),
    ListAccounts: forOperators('accounts:read'),
    ChangeAccount: forOperators('accounts:write'),
    ResetPassword: forOperators('accounts:write'),
    SuspendAccount: forOperators('accounts:write'),
    ResumeAccount: forOperators('accounts:write'),
    DeleteAccount: forOperators('accounts:write'),
    RemoveDemo: forOperators('accounts:write'),
    GetLimits: forOperators('accounts:read'),
    SetLimits: forOperators('accounts:write'),
    CreateKey: forOperators('keys:write'),
    ListKeys: forOperators('keys:read'),
    RevokeKey: forOperators('keys:write'),
    RenameKey: forOperators('keys:write'),
    ChangeKey: forOperators('keys:write'),
    RotateKey: forOperators('keys:write'),
    ExpireKey: forOperators('keys:write'),
  },
  AdminService: {
    // The caller sends its token only after the server has proved its identity.
    ProveServer: { callers: ['anyone'] },
    GetNames: forOperators('accounts:read'),
    GetStatus: forOperators('fleet:read'),
    SetCredential: forOperators('catalog:write'),
    ListCredentials: forOperators('catalog:read'),
    RemoveCredential: forOperators('catalog:write'),
    ListOldPepperKeys: forOperators('keys:read'),
    CreateAdminKey: forOperators('accounts:write'),
    ListAdminKeys: forOperators('accounts:read'),
    RevokeAdminKey: forOperators('accounts:write'),
    DrainDataPlane: forOperators('fleet:write'),
    UndrainDataPlane: forOperators('fleet:write'),
  },
  AuditService: {
    ListAuditEvents: forOperators('audit:read'),
    VerifyAuditLog: forOperators('audit:read'),
    ExportAuditLog: forOperators('audit:read'),
  },
  BillingService: {
    AcquireAllowance: forDataPlanes,
    ReturnAllowance: forDataPlanes,
    AcquireAllowances: forDataPlanes,
    ReturnAllowances: forDataPlanes,
    SettleUsage: forDataPlanes,
    AcquireFollowedResponses: forDataPlanes,
    ReportDeletedResponse: forDataPlanes,
    ResolveDeletedResponse: forDataPlanes,
    ReportRefusals: forDataPlanes,
    GetUsage: forBoth('usage:read'),
    GetReceipt: forBoth('usage:read'),
    ListReceipts: forOperators('usage:read'),
    GetTotalUsage: forOperators('usage:read'),
    ListDailyUsage: forOperators('usage:read'),
    ListProviderAttempts: forOperators('usage:read'),
  },
  CatalogService: {
    GetCatalog: forBoth('catalog:read'),
    WatchCatalog: forBoth('catalog:read'),
    ApplyCatalog: forOperators('catalog:write'),
    AddToCatalog: forOperators('catalog:write'),
    RemoveFromCatalog: forOperators('catalog:write'),
    ListCatalogVersions: forOperators('catalog:read'),
    GetCatalogVersion: forOperators('catalog:read'),
    CreatePriceList: forOperators('catalog:write'),
    ListPriceLists: forOperators('catalog:read'),
    GetPriceList: forOperators('catalog:read'),
    ChangePriceList: forOperators('catalog:write'),
    AddPriceListVersion: forOperators('catalog:write'),
    DeletePriceList: forOperators('catalog:write'),
    ReportProbes: forDataPlanes,
    ReportWaitingCalls: forDataPlanes,
    ReportProviders: forDataPlanes,
  },
  ContentsService: {
    ReportContents: forDataPlanes,
  },
  DashboardService: {
    OpenAccounts: forSignIns,
    RedeemPasswordReset: forSignIns,
    ListHolderKeys: viewable('viewer'),
    CreateHolderKey: forRole('developer'),
    SetHolderKeyCache: forRole('developer'),
    RevokeHolderKey: forRole('developer'),
    CreatePlaygroundKey: forRole('developer'),
    GetHolderUsage: viewable('viewer'),
    ListHolderRequests: viewable('viewer'),
    GetHolderReceipt: viewable('viewer'),
    ViewHolderContents: forRole('admin'),
    SetHolderContents: forRole('owner'),
    GetHolderLimits: viewable('viewer'),
    GetHolderRules: viewable('developer'),
    SetHolderRules: forRole('developer'),
    GetHolderStatement: viewable('admin'),
    ListHolderTeams: viewable('viewer'),
    CreateHolderTeam: forRole('admin'),
    SetHolderTeamLimit: forRole('admin'),
    InviteToHolderTeam: forRole('admin'),
    WithdrawHolderInvitation: forRole('admin'),
    FindOfferedSeat: forRole('admin'),
    AcceptInvitation: forRole('admin'),
    RemoveHolderSeat: forRole('admin'),
    MoveMoney: forRole('admin'),
    GetHolderSettings: viewable('viewer'),
    SetHolderCalendar: forRole('admin'),
    SetHolderMails: forRole('admin'),
    ListHolderAuditEvents: viewable('admin'),
    // Each operation needs a scope: operators have all, auditors those that end in :read.
    CallManagementApi: forAuditors,
    ReportSignIn: forSignIns,
    ListHolderMembers: viewable('admin'),
    InviteHolderMember: forRole('admin'),
    ChangeHolderMemberRole: forRole('admin'),
    RemoveHolderMember: forRole('admin'),
    FindOfferedMembership: forSignIns,
    AcceptMembership: forSignIns,
    CreateHolderAdminKey: forRole('admin'),
    ListHolderAdminKeys: viewable('admin'),
    RevokeHolderAdminKey: forRole('admin'),
    CreateHolderWebhook: forRole('admin'),
    ListHolderWebhooks: viewable('admin'),
    ChangeHolderWebhook: forRole('admin'),
    RemoveHolderWebhook: forRole('admin'),
    RotateHolderWebhookSecret: forRole('admin'),
    ListHolderWebhookDeliveries: viewable('admin'),
    RedeliverHolderWebhook: forRole('admin'),
    TestHolderWebhook: forRole('admin'),
  },
  KeyService: {
    ResolveKey: forDataPlanes,
    GetKey: forDataPlanes,
    ResolveEndUser: forDataPlanes,
    WatchKeys: forDataPlanes,
  },
  MemberService: {
    ListMembers: forOperators('accounts:read'),
    AddMember: forOperators('accounts:write'),
    InviteMember: forOperators('accounts:write'),
    ChangeMemberRole: forOperators('accounts:write'),
    RemoveMember: forOperators('accounts:write'),
    GrantRole: forOperators('accounts:write'),
    RevokeRole: forOperators('accounts:write'),
    ListRoles: forOperators('accounts:read'),
  },
  PoolService: {
    AddPool: forOperators('pools:write'),
    ListPools: forOperators('pools:read'),
    ChangePool: forOperators('pools:write'),
    RemovePool: forOperators('pools:write'),
    GetStatement: forOperators('pools:read'),
    VerifyLedger: forOperators('pools:read'),
  },
  RulesService: {
    GetRules: forOperators('rules:read'),
    SetRules: forOperators('rules:write'),
  },
  ScimService: {
    CreateScimToken: forOperators('accounts:write'),
    ListScimTokens: forOperators('accounts:read'),
    RevokeScimToken: forOperators('accounts:write'),
  },
  TeamService: {
    CreateTeam: forOperators('teams:write'),
    ListTeams: forOperators('teams:read'),
    SetTeamLimit: forOperators('teams:write'),
    DeleteTeam: forOperators('teams:write'),
    AddSeat: forOperators('teams:write'),
    ListSeats: forOperators('teams:read'),
    RemoveSeat: forOperators('teams:write'),
    MoveSeat: forOperators('teams:write'),
    InviteToTeam: forOperators('teams:write'),
    WithdrawInvitation: forOperators('teams:write'),
  },
  WebhookService: {
    CreateWebhook: forOperators('events:write'),
    ListWebhooks: forOperators('events:read'),
    GetWebhook: forOperators('events:read'),
    ChangeWebhook: forOperators('events:write'),
    RemoveWebhook: forOperators('events:write'),
    RotateWebhookSecret: forOperators('events:write'),
    ListWebhookDeliveries: forOperators('events:read'),
    RedeliverWebhook: forOperators('events:write'),
    TestWebhook: forOperators('events:write'),
  },
} satisfies AccessTable;

/** RPCs of the dashboard. */
export type HolderRpc = keyof (typeof RPC_ACCESS)['DashboardService'];

const byPath = new Map<string, RpcAccess>(
  Object.entries(RPC_ACCESS).flatMap(([service, rpcs]) =>
    Object.entries<RpcAccess>(rpcs).map(([rpc, access]) => [`/gateway.v1.${service}/${rpc}`, access]),
  ),
);

/** Returns the access to the RPC with a path; undefined: there is no such RPC. */
export function accessOfPath(path: string): RpcAccess | undefined {
  return byPath.get(path);
}
