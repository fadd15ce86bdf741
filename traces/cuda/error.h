// The error codes that both CUDA interfaces return. Since CUDA 10.1 the runtime's and the driver's numbers
// agree wherever both have the error.
#pragma once

namespace warpgauge::cuda {

// Numbers as in CUDA's public headers.
enum class Error : int {
  success = 0,
  invalid_value = 1,
  memory_allocation = 2,
  initialization_error = 3,
  cudart_unloading = 4,
  invalid_configuration = 9,
  invalid_pitch_value = 12,
  invalid_symbol = 13,
  invalid_host_pointer = 16,
  invalid_device_pointer = 17,
  invalid_memcpy_direction = 21,
  invalid_filter_setting = 26,
  invalid_norm_setting = 27,
  stub_library = 34,
  insufficient_driver = 35,
  devices_unavailable = 46,
  missing_configuration = 52,
  invalid_device_function = 98,
  no_device = 100,
  invalid_device = 101,
  invalid_kernel_image = 200,
  device_uninitialized = 201,
  no_kernel_image_for_device = 209,
  unsupported_limit = 215,
  peer_access_unsupported = 217,
  invalid_ptx = 218,
  invalid_source = 300,
  file_not_found = 301,
  shared_object_symbol_not_found = 302,
  operating_system = 304,
  invalid_resource_handle = 400,
  illegal_state = 401,
  symbol_not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  peer_access_already_enabled = 704,
  peer_access_not_enabled = 705,
  context_is_destroyed = 709,
  assert_ = 710,
  host_memory_already_registered = 712,
  host_memory_not_registered = 713,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failure = 719,
  cooperative_launch_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  stream_capture_merge = 902,
  stream_capture_unmatched = 903,
  stream_capture_unjoined = 904,
  stream_capture_isolation = 905,
  stream_capture_implicit = 906,
  captured_event = 907,
  stream_capture_wrong_thread = 908,
  graph_exec_update_failure = 910,
  invalid_cluster_size = 912,
  unknown = 999,
};

// "cudaErrorInvalidValue", and null for a number that is no error.
const char* runtime_name(int code);
// "CUDA_ERROR_INVALID_VALUE"; null where the driver has no such error.
const char* driver_name(int code);
// One phrase; null for a number that is no error.
const char* describe(int code);

}  // namespace warpgauge::cuda
