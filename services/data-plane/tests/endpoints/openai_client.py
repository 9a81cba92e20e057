"""Uses the gateway's Responses with OpenAI's own client: python openai_client.py PART MODEL; prints JSON."""

import json
import sys
import time

import openai
from pydantic import BaseModel

part, model = sys.argv[1:]
client = openai.OpenAI(max_retries=0)
question = {"role": "user", "content": "Why is the sky blue?"}
request = {"model": model, "input": [question], "store": False}
weather = {
    "type": "function",
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "strict": False,
}
note = {"type": "custom", "name": "write_note", "format": {"type": "text"}}


class Sky(BaseModel):
    colour: str
    is_bright: bool


def final_response(**more):
    with client.responses.stream(**{**request, **more}) as stream:
        return stream.get_final_response()


def plain():
    response = client.responses.create(**request)
    streamed = final_response()
    return {
        "model": response.model,
        "status": response.status,
        "text": response.output_text,
        "is_same_streamed": streamed.output_text == response.output_text
        and streamed.usage.output_tokens == response.usage.output_tokens,
        "input_tokens": streamed.usage.input_tokens,
        "request_id": response._request_id,
    }


def parsed():
    response = client.responses.parse(**request, text_format=Sky)
    streamed = final_response(text_format=Sky)
    return {
        "fields": sorted(response.output_parsed.model_dump()),
        "is_same_streamed": streamed.output_parsed == response.output_parsed,
    }


def tools():
    marked = 'use get_weather: {"city":"Oslo"}\nalso use get_weather: {"city":"Rome"}'
    asked = {"role": "user", "content": marked}
    first = final_response(tools=[weather], input=[asked])
    calls = [item for item in first.output if item.type == "function_call"]
    results = [
        {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"} for call in calls
    ]
    second = final_response(tools=[weather], input=[asked, *first.output, *results])
    return {"inputs": [json.loads(call.arguments) for call in calls], "next_status": second.status}


def custom():
    written = 'first line\n"second" line'
    asked = {"role": "user", "content": "use write_note: " + json.dumps({"input": written})}
    first = final_response(tools=[note], input=[asked])
    calls = [item for item in first.output if item.type == "custom_tool_call"]
    results = [
        {"type": "custom_tool_call_output", "call_id": call.call_id, "output": "kept"} for call in calls
    ]
    second = client.responses.create(**{**request, "tools": [note], "input": [asked, *first.output, *results]})
    return {"is_as_written": [call.input for call in calls] == [written], "next_status": second.status}


def reasoning():
    thoughtful = {"reasoning": {"effort": "low"}, "include": ["reasoning.encrypted_content"]}
    first = final_response(**thoughtful)
    second = final_response(**thoughtful, input=[question, *first.output, question])
    return {"types": [item.type for item in first.output], "next_status": second.status}


def kept():
    first = client.responses.create(**{**request, "store": True})
    second = client.responses.create(
        model=model, input=[question], previous_response_id=first.id
    )
    found = client.responses.retrieve(first.id)
    client.responses.delete(first.id)
    return {
        "goes_on": second.previous_response_id == first.id,
        "is_found": found.output_text == first.output_text,
        "after_deletion": raised_by(lambda: client.responses.retrieve(first.id)),
    }


def raised_by(call):
    try:
        call()
    except openai.APIError as error:
        return type(error).__name__
    return None


def errors():
    stranger = openai.OpenAI(api_key="gw_live_nonsense", max_retries=0)
    return {
        "limited": raised_by(lambda: client.responses.create(**request)),
        "failed": raised_by(lambda: client.responses.create(**request)),
        "unauthorized": raised_by(lambda: stranger.responses.create(**request)),
        "unknown": raised_by(lambda: client.responses.create(**{**request, "model": "sim/nothing"})),
        "invalid": raised_by(lambda: client.responses.create(**{**request, "max_output_tokens": -1})),
    }


def broken():
    try:
        final_response()
    except Exception as error:
        return {"is_raised": True, "error": type(error).__name__}
    return {"is_raised": False}


def abort():
    with client.responses.stream(**request) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                break
        left_at = time.time()
    return {"left_at": left_at}


parts = (plain, parsed, tools, custom, reasoning, kept, errors, broken, abort)
print(json.dumps({found.__name__: found for found in parts}[part]()))
