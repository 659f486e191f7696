export { createCampaignEngine } from './engine.ts';
