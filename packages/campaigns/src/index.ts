export { adminOf } from './auth.ts';
export { type CampaignsConfig, campaignsConfigSchema } from './config.ts';
export { bootstrapOf } from './keys/secrets.ts';
export { campaignsMigrations } from './migrations.ts';
export { API_PREFIX, type MountCampaignsOptions, mountCampaigns } from './mount.ts';
export { type CampaignsOperation, campaignsOperations } from './operations/index.ts';
export type { CampaignsPorts, CampaignsStore } from './ports.ts';
export { campaignsInstructions, campaignsServerInfo } from './server-info.ts';
export type { CampaignsTables } from './tables.ts';
