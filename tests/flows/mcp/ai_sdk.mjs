// Talks to the server with Vercel's client, which shares no code with the official one: node ai_sdk.mjs PACKAGE URL | PACKAGE COMMAND ARGUMENTS…
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, where, ...rest] = process.argv.slice(2);
const load = file => import(pathToFileURL(path.join(folder, 'dist', file)));
const { createMCPClient, ElicitationRequestSchema } = await load('index.js');
const { Experimental_StdioMCPTransport: Stdio } = await load('mcp-stdio/index.js');
const overHttp = where.startsWith('http');
const client = await createMCPClient({
  transport: overHttp ? { type: 'http', url: where } : new Stdio({ command: where, args: rest, env: process.env }),
  // The program takes longer to start than this client waits for an answer to its first question.
  ...(overHttp ? {} : { protocolVersionDiscovery: false }),
  capabilities: { elicitation: {} },
});
const asked = [];
client.onElicitationRequest(ElicitationRequestSchema, async request => {
  asked.push(request.params.message);
  return { action: 'accept', content: { delete: true } };
});
const tools = await client.tools();
const call = async (name, given) =>
  (await tools[name].execute(given, { messages: [], toolCallId: '1' })).structuredContent;
const kept = await call('remember', { content: 'граю на віолончелі' });
const found = await call('recall', { query: 'віолончель' });
const forgotten = await call('forget', { memory_id: String(kept.memory_id) });
const { resources } = await client.listResources();
console.log(JSON.stringify({
  tools: Object.keys(tools), kept, found, forgotten, asked, resources: resources.map(one => one.uri),
}));
await client.close();
