import type { ServiceDefinition } from '@grpc/grpc-js';
import { gatewayProto, keepRequestBytes } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { accountService } from './account-service.ts';
import { adminService } from './admin-service.ts';
import { auditService } from './audit-service.ts';
import { billingService } from './billing-service.ts';
import { catalogService } from './catalog-service.ts';
import { dashboardService, type OperationCaller } from './dashboard-service.ts';
import type { Methods } from './grpc-handlers.ts';
import { keyService } from './key-service.ts';
import { memberService } from './member-service.ts';
import { poolService } from './pool-service.ts';
import { rulesService } from './rules-service.ts';
import { scimService } from './scim-service.ts';
import { teamService } from './team-service.ts';

export interface Service {
  definition: ServiceDefinition;
  methods: Methods;
}

/**
 * Creates every service but that of the dashboard, by its name in proto/gateway/v1. Where operators call, it
 * keeps the bytes of requests, which a proof of ADMIN_TOKEN covers.
 */
export function createServices(context: ControlPlaneContext): ReadonlyMap<string, Service> {
  const { AccountService, AdminService, AuditService, BillingService, CatalogService } = gatewayProto;
  const { KeyService, MemberService, PoolService, RulesService, ScimService, TeamService } = gatewayProto;
  return new Map([
    ['AccountService', serve(keepRequestBytes(AccountService.service), accountService(context))],
    ['AdminService', serve(keepRequestBytes(AdminService.service), adminService(context))],
    ['AuditService', serve(keepRequestBytes(AuditService.service), auditService(context))],
    ['BillingService', serve(keepRequestBytes(BillingService.service), billingService(context))],
    ['CatalogService', serve(keepRequestBytes(CatalogService.service), catalogService(context))],
    ['KeyService', serve(KeyService.service, keyService(context))],
    ['MemberService', serve(keepRequestBytes(MemberService.service), memberService(context))],
    ['PoolService', serve(keepRequestBytes(PoolService.service), poolService(context))],
    ['RulesService', serve(keepRequestBytes(RulesService.service), rulesService(context))],
    ['ScimService', serve(keepRequestBytes(ScimService.service), scimService(context))],
    ['TeamService', serve(keepRequestBytes(TeamService.service), teamService(context))],
  ]);
}

/** @param callOperation serves operations of the management API */
export function createDashboardService(
  context: ControlPlaneContext,
  callOperation: OperationCaller,
): Service {
  return serve(gatewayProto.DashboardService.service, dashboardService(context, callOperation));
}

function serve(definition: ServiceDefinition, methods: Methods): Service {
  return { definition, methods };
}
