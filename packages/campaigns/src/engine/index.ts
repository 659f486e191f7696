export {
  type CampaignEngine,
  type CampaignEngineOptions,
  createCampaignEngine,
  type EngineHealth,
} from './engine.ts';
