import{a as f}from"./part-XLHLCXLJ.js";import{a as g}from"./part-VEAN5BBC.js";import{a as b}from"./part-ZACMKG3R.js";import{a as C}from"./part-PUBPJ5FV.js";import{b as u}from"./part-DOEWKMZO.js";import{a as h,m as d,s as m,t as n,u as A}from"./part-DZIUI5YC.js";var _={openai:{install:"npm install openai",code:`import OpenAI from 'openai';

const client = new OpenAI({ baseURL: 'SERVER_URL/v1', apiKey: process.env.PATCHBAY_API_KEY });
const { choices } = await client.chat.completions.create({
  model: 'auto',
  messages: [{ role: 'user', content: 'What is a patch bay?' }],
});
console.log(choices[0].message.content);`},anthropic:{install:"npm install @anthropic-ai/sdk",code:`import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: 'SERVER_URL', apiKey: process.env.PATCHBAY_API_KEY });
const { content } = await client.messages.create({
  model: 'auto',
  max_tokens: 500,
  messages: [{ role: 'user', content: 'What is a patch bay?' }],
});
console.log(content.find(({ type }) => type === 'text').text);`},"ai-sdk":{install:"npm install ai @ai-sdk/openai-compatible",code:`import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const patchbay = createOpenAICompatible({
  name: 'patchbay',
  baseURL: 'SERVER_URL/v1',
  apiKey: process.env.PATCHBAY_API_KEY,
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const answer = await generateText({ model: patchbay('auto'), prompt: 'What is a patch bay?' });
console.log(answer.text);`},langchain:{install:"npm install @langchain/openai @langchain/core",code:`import { ChatOpenAI } from '@langchain/openai';

const chat = new ChatOpenAI({
  configuration: { baseURL: 'SERVER_URL/v1' },
  apiKey: process.env.PATCHBAY_API_KEY,
  model: 'auto',
});
const answer = await chat.invoke('What is a patch bay?');
console.log(answer.text);`},"claude-code":{install:"npm install -g @anthropic-ai/claude-code",code:`export ANTHROPIC_BASE_URL=SERVER_URL
export ANTHROPIC_AUTH_TOKEN=$PATCHBAY_API_KEY
claude`},codex:{install:"npm install -g @openai/codex",code:`# ~/.codex/config.toml
model = "auto"
model_provider = "patchbay"
web_search = "disabled"

[model_providers.patchbay]
name = "Patchbay"
base_url = "SERVER_URL/v1"
env_key = "PATCHBAY_API_KEY"
wire_api = "responses"`}};var R={openai:"OpenAI SDK",anthropic:"Anthropic SDK","ai-sdk":"AI SDK",langchain:"LangChain","claude-code":"Claude Code",codex:"Codex"};function v({gateway:e,mcp:a,functions:t}){return[...Object.entries(R).map(([s,c])=>{let{install:r,code:l}=_[s];return{name:s,title:c,install:r,code:l.replaceAll("SERVER_URL",e),test:"model"}}),{name:"mcp",title:"Agents (MCP)",code:E(a),test:"tools"},{name:"client",title:"Functions",install:"npm install @patchbay/client",code:x(t),test:"tools"},{name:"curl",title:"curl",code:T(e),test:"model"}]}var E=e=>`# Claude Code
claude mcp add --transport http patchbay ${e} --header "Authorization: Bearer $PATCHBAY_API_KEY"

# Codex, in ~/.codex/config.toml
[mcp_servers.patchbay]
url = "${e}"
bearer_token_env_var = "PATCHBAY_API_KEY"`,x=e=>`import { createClient } from '@patchbay/client';

const { ai } = createClient({ baseUrl: '${e}', apiKey: process.env.PATCHBAY_API_KEY });
// Any name, any input: a stored function of this name, or a model, answers.
console.log(await ai.summarize({ text: 'A patch bay has sockets, and cables between them.' }));`,T=e=>`curl ${e}/v1/chat/completions \\
  -H "Authorization: Bearer $PATCHBAY_API_KEY" -H "Content-Type: application/json" \\
  -d '{ "model": "auto", "messages": [{ "role": "user", "content": "What is a patch bay?" }] }'`;var k={model:{needs:"createChatCompletion",run:I},tools:{needs:"listFunctions",run:Y}};function w({kind:e}){let{api:a}=m(),t=d(!1),o=d(void 0),s=d(void 0),{needs:c,run:r}=k[e];if(!a.may(c))return null;let l=async()=>{t.value=!0,s.value=void 0;let p=performance.now();try{let{from:i,text:P}=await r(a);o.value={from:i,text:P,durationMs:Math.round(performance.now()-p)}}catch(i){o.value=void 0,s.value=i}finally{t.value=!1}};return n("section",{class:"connection-test",children:[n("button",{type:"button",class:"primary",disabled:t.value,onClick:()=>{l()},children:t.value?"Waiting \u2026":"Send a test request"}),s.value!==void 0&&n(A,{error:s.value}),n("div",{role:"status",children:o.value&&n(b,{facts:[["Answered by",o.value.from],["Answer",o.value.text],["Time",`${o.value.durationMs.toLocaleString()} ms`]]})})]})}async function I(e){let a=[{role:"user",content:"What is a patch bay? Answer in one sentence."}],{model:t,choices:o}=await e.call("createChatCompletion",{body:{model:"auto",messages:a}});return{from:t,text:o[0]?.message.content??""}}async function Y(e){let a={accept:"application/json, text/event-stream"},t={jsonrpc:"2.0",id:1,method:"tools/list",params:{}};for await(let{data:o}of e.events("callMcp",{body:t,headers:a})){let{result:s,error:c}=o;if(c)throw new Error(c.message);let r=s?.tools.map(({name:l})=>l)??[];return{from:"POST /mcp",text:r.length===0?"There are no tools yet.":r.join(", ")}}throw new Error("the server has sent no answer")}function K({path:[e]}){let{api:a}=m(),t=v({gateway:y(a.url("createChatCompletion")).replace("/v1/chat/completions",""),mcp:y(a.url("callMcp")),functions:y(a.url("listFunctions")).replace(/\/functions$/,"")}),o=t.find(({name:i})=>i===e)??t[0];if(!o)return null;let{name:s,title:c,install:r,code:l,test:p}=o;return n(C,{title:"Connect",children:[n(g,{label:"Clients",tabs:t.map(i=>({title:i.title,href:u(["connect",i.name]),current:i.name===s}))}),n("p",{children:["Set ",n("code",{children:"PATCHBAY_API_KEY"})," to a key of this server",a.may("createKey")&&n(h,{children:[": ",n("a",{href:u(["keys","new"]),children:"create one for each program"})]}),"."]}),r!==void 0&&n(f,{label:"Install",text:r}),n(f,{label:c,text:l}),n(w,{kind:p},p)]})}var y=e=>new URL(e,location.href).href;export{K as default};
